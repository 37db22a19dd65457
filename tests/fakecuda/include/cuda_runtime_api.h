// The C half of the runtime; here both are one.
#pragma once
#include "cuda_runtime.h"
