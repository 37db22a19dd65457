// The terminal below the prompt's editor: who gets Ctrl-C in the moments in which its mode changes.
#include "lang/prompt/terminal.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "lang/runtime/interp.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

// A child process at a terminal of its own.
class AtPty : public ::testing::Test {
 protected:
  void start(const std::function<bool()>& child) {
    child_ = forkpty(&master_, nullptr, nullptr, nullptr);
    if (child_ < 0) GTEST_SKIP() << "no pseudo-terminal here";
    if (child_ == 0) _exit(child() ? 0 : 1);
  }
  void TearDown() override {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
    if (master_ >= 0) close(master_);
  }
  void type(const std::string& keys) const {
    ASSERT_EQ(write(master_, keys.data(), keys.size()), ssize_t(keys.size()));
  }
  // Reads until the child has written the text.
  bool shows(const std::string& text) {
    char buffer[4096];
    while (seen_.find(text) == seen_.npos) {
      pollfd output{master_, POLLIN, 0};
      if (poll(&output, 1, 60000) <= 0) return false;
      const ssize_t got = read(master_, buffer, sizeof buffer);
      if (got <= 0) return false;
      seen_.append(buffer, size_t(got));
    }
    return true;
  }

  pid_t child_ = -1;
  int master_ = -1;
  std::string seen_;
};

// Nothing is typed and no clock rings: only the signal can end the wait.
TEST_F(AtPty, ASignalBeforeTheTerminalIsTakenIsSeenAtOnce) {
  start([] {
    Interp interp;
    interp.handle_signals();
    keep_session();
    Terminal terminal;
    sigset_t clock;
    sigemptyset(&clock);
    sigaddset(&clock, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &clock, nullptr);
    ::raise(SIGINT);
    terminal.begin();
    std::string keys;
    terminal.write(terminal.wait(keys, -1) == Terminal::Event::interrupted ? "the signal" : "something else");
    clear_interrupt();
    terminal.write(terminal.wait(keys, -1) == Terminal::Event::input ? " and then " + keys : "nothing");
    return true;
  });
  ASSERT_TRUE(shows("the signal"));
  type("x");
  EXPECT_TRUE(shows("the signal and then x")) << seen_;
}

TEST_F(AtPty, KeysThatNobodyHasReadAreGivenWhenTheModeChanges) {
  start([] {
    Terminal terminal;
    termios mode{};
    terminal.begin();
    terminal.write("type");
    pollfd input{STDIN_FILENO, POLLIN, 0};
    poll(&input, 1, -1);
    const std::string keys = terminal.end();
    tcgetattr(STDIN_FILENO, &mode);
    terminal.write(keys == "\x03+1\r" && (mode.c_lflag & ICANON) ? "all of them" : "only: " + keys + ".");
    return true;
  });
  ASSERT_TRUE(shows("type"));
  type("\x03+1\r");
  EXPECT_TRUE(shows("all of them") || shows(".")) << seen_;
  EXPECT_EQ(seen_.find("only"), seen_.npos) << seen_;
}

TEST_F(AtPty, TheModeIsWhatItWas) {
  start([] {
    termios before{}, after{};
    tcgetattr(STDIN_FILENO, &before);
    {
      Terminal terminal;
      terminal.begin();
    }
    tcgetattr(STDIN_FILENO, &after);
    const bool same = before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag;
    printf(same ? "as before\n" : "changed\n");
    return fflush(stdout) == 0;
  });
  EXPECT_TRUE(shows("as before")) << seen_;
}

}  // namespace
}  // namespace luth::lang
