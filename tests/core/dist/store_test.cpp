// Stores: what they keep, how they wait, what becomes of those who leave, and strangers at the port.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "core/dist/alone.h"
#include "core/dist/file_store.h"
#include "core/dist/tcp_store.h"
#include "tests/core/io/io_util.h"

namespace luth::dist {
namespace {

constexpr Milliseconds soon{200}, long_time{20'000};

class StoreTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Store> open() {
    if (std::string_view(GetParam()) == "file") return std::make_shared<FileStore>(folder_ / "store", long_time);
    if (std::string_view(GetParam()) == "own") return own_ = own_ ? own_ : make_own_store(long_time);
    if (!server_) server_ = std::make_unique<StoreServer>(0);
    auto tcp = std::make_shared<TcpStore>(Address{"127.0.0.1", server_->port()}, long_time);
    if (std::string_view(GetParam()) == "prefix") return std::make_shared<PrefixStore>("group", tcp);
    return tcp;
  }

 private:
  io::testing::Folder folder_;
  std::unique_ptr<StoreServer> server_;
  std::shared_ptr<Store> own_;
};

TEST_P(StoreTest, KeepsValuesForAll) {
  const auto a = open(), b = open();
  const std::string bytes("a\0b\xff\n", 5);
  a->set("key", bytes);
  a->set("", "");
  EXPECT_EQ(b->get("key"), bytes);
  EXPECT_EQ(b->find(""), "");
  EXPECT_EQ(b->find("none"), std::nullopt);
  b->set("key", "new");
  EXPECT_EQ(a->get("key"), "new");
  EXPECT_TRUE(b->remove("key"));
  EXPECT_FALSE(a->remove("key"));
  EXPECT_EQ(a->find("key"), std::nullopt);
}

TEST_P(StoreTest, AddsAndCompares) {
  const auto a = open(), b = open();
  EXPECT_EQ(a->add("n", 5), 5);
  EXPECT_EQ(b->add("n", -7), -2);
  EXPECT_EQ(a->compare_set("c", "", "first"), "first");
  EXPECT_EQ(b->compare_set("c", "", "second"), "first");
  EXPECT_EQ(b->compare_set("c", "first", "third"), "third");
  EXPECT_EQ(b->compare_set("absent", "something", "else"), "something");
  EXPECT_EQ(b->find("absent"), std::nullopt);
  EXPECT_GE(a->count(), 2);
}

TEST_P(StoreTest, ManyAddAtOnce) {
  std::vector<std::thread> threads;
  const auto shared = open();
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) shared->add("n", 1);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(shared->add("n", 0), 200);
}

TEST_P(StoreTest, WaitsForWhatOthersSet) {
  const auto a = open(), b = open();
  std::thread later([&] {
    std::this_thread::sleep_for(Milliseconds(30));
    b->set("x", "1");
    b->set("y", "2");
  });
  EXPECT_TRUE(a->wait_until({"x", "y"}, Clock::now() + long_time));
  later.join();
  EXPECT_FALSE(a->wait_until({"x", "z"}, Clock::now() + Milliseconds(50)));
  a->set_timeout(Milliseconds(50));
  try {
    a->wait({"x", "z"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::peer);
    EXPECT_NE(std::string(e.what()).find("nobody has set 'z'"), std::string::npos) << e.what();
  }
}

TEST_P(StoreTest, LargeValues) {
  const auto a = open();
  const std::string large(10 << 20, 'x');
  a->set("large", large);
  EXPECT_EQ(a->get("large"), large);
  try {
    a->set("too large", std::string(most_bytes, 'x'));
    ADD_FAILURE() << "a value of 64 MiB was taken";
  } catch (const Error& e) { EXPECT_EQ(e.code(), ErrorCode::usage) << e.what(); }
  EXPECT_EQ(a->add("n", 1), 1);  // it goes on
}

INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest, ::testing::Values("tcp", "file", "prefix", "own"),
                         [](auto& info) { return std::string(info.param); });

TEST(TcpStore, SaysWhoHasEnded) {
  StoreServer server(0);
  const Address at{"127.0.0.1", server.port()};
  TcpStore watcher(at, long_time);
  {
    TcpStore falls(at, long_time), leaves(at, long_time);
    falls.stay("ended/1", "");
    leaves.stay("ended/2", "");
    leaves.leave();
  }
  EXPECT_TRUE(watcher.wait_until({"ended/1"}, Clock::now() + long_time));
  EXPECT_FALSE(watcher.wait_until({"ended/2"}, Clock::now() + soon));
}

TEST(TcpStore, AServerThatEndsIsNamed) {
  auto server = std::make_unique<StoreServer>(0);
  TcpStore store({"127.0.0.1", server->port()}, long_time);
  store.set("a", "b");
  server.reset();
  try {
    store.find("a");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::peer);
    EXPECT_NE(std::string(e.what()).find("rank 0"), std::string::npos) << e.what();
  }
}

// As where another program has the port.
TEST(TcpStore, AWaitForWhoNeverAnswersEnds) {
  constexpr Milliseconds time{6'000};
  const Socket mute = listen_at(0);
  TcpStore store({"127.0.0.1", port_of(mute)}, time);
  const Deadline began = Clock::now();
  EXPECT_FALSE(store.wait_until({"key"}, began + time));
  EXPECT_LT(Clock::now() - began, time + time * 5 / 6);
}

TEST(TcpStore, NobodyListens) {
  const int port = port_of(listen_at(0));
  try {
    TcpStore store({"127.0.0.1", port}, soon);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::peer);
    EXPECT_NE(std::string(e.what()).find("cannot reach 127.0.0.1"), std::string::npos) << e.what();
  }
  EXPECT_THROW(TcpStore({"no.such.host.invalid", 1}, soon), Error);
  const Socket taken = listen_at(0);
  EXPECT_THROW(StoreServer{port_of(taken)}, Error);
}

// Whatever comes, the server goes on for others, and what is no request ends its connection.
TEST(TcpStore, StrangersAtThePort) {
  StoreServer server(0);
  const Address at{"127.0.0.1", server.port()};
  TcpStore store(at, long_time);
  std::mt19937_64 random(1);
  const auto send = [&](const std::string& bytes) {
    const Socket s = connect_to(at, Clock::now() + long_time);
    send_all(s, bytes.data(), bytes.size(), Clock::now() + long_time);
    ::shutdown(s.fd(), SHUT_WR);
    char c;
    while (receive_all(s, &c, 1, Clock::now() + long_time) == Transfer::done) {}
  };
  send("GET / HTTP/1.1\r\n\r\n");
  send(std::string(4, '\xff'));
  send(std::string("\x04\0\0\0\0\0\0\0", 8));
  for (int i = 0; i < 200; ++i) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = char(random() % (i % 2 ? 6 : 256));
    send(bytes);
  }
  store.set("still", "here");
  EXPECT_EQ(store.get("still"), "here");
}

// Another program has the port: what it says is in the error, and who says nothing is no store either.
TEST(TcpStore, AStrangerInItsPlace) {
  const Socket listener = listen_at(0, true);
  const auto error_of = [&](const std::string& banner) {
    TcpStore store({"127.0.0.1", port_of(listener)}, long_time);
    wait_for(listener.fd(), false, Clock::now() + long_time);
    {
      const Socket guest = accept_from(listener);
      send_all(guest, banner.data(), banner.size(), Clock::now() + long_time);
      ::shutdown(guest.fd(), SHUT_WR);
      char c;
      std::thread reader([&] {
        while (receive_all(guest, &c, 1, Clock::now() + long_time) == Transfer::done) {}
      });
      std::string text;
      try {
        store.set("key", "value");
      } catch (const Error& e) { text = e.what(); }
      ::shutdown(guest.fd(), SHUT_RD);
      reader.join();
      return text;
    }
  };
  for (const std::string banner : {"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n", "SSH-2.0-x\r\n"})
    EXPECT_NE(error_of(banner).find("begins with '" + banner.substr(0, banner.find('\r')) + "'"), std::string::npos)
        << error_of(banner);
  EXPECT_NE(error_of(std::string("\x05\0\0\0hello", 9)).find("is no store of luth"), std::string::npos);
  EXPECT_NE(error_of("").find("has closed the connection without an answer"), std::string::npos);
}

// Descriptors are few. Those of strangers who say nothing go to who comes and asks.
TEST(TcpStore, SilentStrangersTakeNoPlace) {
  StoreServer server(0);
  const Address at{"127.0.0.1", server.port()};
  std::vector<Socket> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(connect_to(at, Clock::now() + long_time));
  TcpStore first(at, long_time);
  first.set("key", "value");  // so they have all been let in
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int lowest = ::dup(0);
  ::close(lowest);
  const rlimit one_more{rlim_t(lowest) + 1, before.rlim_max};  // the client's, and none for the server
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one_more), 0);
  TcpStore second(at, long_time);
  EXPECT_EQ(second.find("key"), "value");
  EXPECT_EQ(first.find("key"), "value");
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

long peak_kb() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Answers that nobody takes do not pile up, and come when they are taken.
TEST(TcpStore, WhoTakesNoAnswersIsNotHeard) {
  constexpr size_t size = 4 << 20, times = 256;
  StoreServer server(0);
  const Address at{"127.0.0.1", server.port()};
  TcpStore store(at, long_time);
  store.set("large", std::string(size, 'x'));
  const Socket deaf = connect_to(at, Clock::now() + long_time);
  std::string asks;
  for (size_t i = 0; i < times; ++i) asks += encode({"find", "large"});
  const long before = peak_kb();
  ASSERT_EQ(send_all(deaf, asks.data(), asks.size(), Clock::now() + long_time), Transfer::done);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store.find("none"), std::nullopt);  // the second is answered after the deaf one
  EXPECT_LT(peak_kb() - before, long(size * times / 1024 / 2));
  std::string answer(encode({"ok", ""}).size() + size, '\0');
  for (size_t i = 0; i < times; ++i)
    ASSERT_EQ(receive_all(deaf, answer.data(), answer.size(), Clock::now() + long_time), Transfer::done) << i;
  EXPECT_EQ(answer.back(), 'x');
}

TEST(Address, IsTakenApart) {
  EXPECT_EQ(parse_address("a.b:80", "x").host, "a.b");
  EXPECT_EQ(parse_address("[::1]:80", "x").host, "::1");
  EXPECT_EQ(to_text({"::1", 80}), "[::1]:80");
  for (const char* bad : {"", "a", "a:", ":80", "a:b", "a:70000", "a:-1", "a:80x"})
    EXPECT_THROW(parse_address(bad, "--master"), Error) << bad;
}

}  // namespace
}  // namespace luth::dist
