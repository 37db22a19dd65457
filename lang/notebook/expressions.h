// Values as data of messages, and the expressions that come with a cell.
#pragma once
#include "lang/notebook/message.h"
#include "lang/prompt/session.h"

namespace luth::lang {

/// The strings of a table {mime type = data, …}.
Json data_of(lua_State* L, int index);

/// What a front end asks for beside a cell, {name = code, …}: each value as data, or its error; see execute_reply of
/// the protocol.
Json evaluated(Session& session, Interp& interp, const Json& expressions);

}  // namespace luth::lang
