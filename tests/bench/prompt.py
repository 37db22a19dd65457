# How long the prompt, the kernel and the language server take to answer, each the median of 20, and the memory of an idle prompt.
#   python3 tests/bench/prompt.py [LUTH] [WORD…]     build/release/bin/luth unless told; WORDs choose lines by their beginning.
# The kernel's line wants jupyter_client.
import glob, json, os, pty, re, select, statistics, subprocess, sys, tempfile, time

root = os.path.dirname(os.path.abspath(__file__)) + '/../..'
luth = sys.argv[1] if len(sys.argv) > 1 else root + '/build/release/bin/luth'
folder = tempfile.TemporaryDirectory()
home = folder.name
environment = dict(os.environ, HOME=home, XDG_STATE_HOME=home, TERM='xterm-256color', LC_ALL='C.UTF-8', LINES='40', COLUMNS='100')


def median_of(runs, count=20):
    return 1000 * statistics.median(runs() for _ in range(count))


# ---- the prompt, on a terminal of its own ----
class Prompt:
    def __init__(self):
        self.began = time.perf_counter()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(luth, [luth], environment)
        self.seen = b''

    def __enter__(self):
        self.wait(b'> ')
        return self

    def __exit__(self, *_):
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def wait(self, text):
        while text not in self.seen:
            if not select.select([self.terminal], [], [], 60)[0]:
                raise SystemExit(f'no {text} in {self.seen[-300:]}')
            self.seen += os.read(self.terminal, 1 << 16)

    def took(self, keys, text):
        """From keys to that text on the screen."""
        self.seen, began = b'', time.perf_counter()
        os.write(self.terminal, keys)
        self.wait(text)
        return time.perf_counter() - began

    def run(self, code):
        return self.took(code + b' print("do" .. "ne")\r', b'done\r\n') and self.wait(b'> ')


def ready():
    with Prompt() as prompt:
        return time.perf_counter() - prompt.began


def echo():
    os.makedirs(home + '/luth', exist_ok=True)
    with Prompt() as prompt:  # makes the file
        prompt.run(b'')
    path = home + '/luth/history'
    entry = open(path).read().rstrip('\n').split('\n')[-1]
    with open(path, 'a') as history:
        history.writelines(entry.replace('ne"', f'{i}"') + '\n' for i in range(10_000))
    letters = iter('abcdefghijklmnopqrstuvw')
    with Prompt() as prompt:
        took = median_of(lambda: prompt.took((letter := next(letters)).encode(), letter.encode()))
    os.remove(path)
    return took


def completion():
    with Prompt() as prompt:
        return median_of(lambda: (prompt.took(b'torch.soft\t', b'softmax'), prompt.took(b'\x15', b'> '))[0])


def plot():
    with Prompt() as prompt:
        prompt.run(b'y = torch.randn(1000000)')
        return median_of(lambda: prompt.took(b'plot(y) print("do" .. "ne")\r', b'done\r\n'))


def memory():
    with Prompt() as prompt:
        prompt.run(b'')
        return int(re.search(r'VmRSS:\s*(\d+)', open(f'/proc/{prompt.process}/status').read())[1]) / 1024


# ---- the kernel ----
def kernel():
    from jupyter_client import KernelManager
    os.environ['JUPYTER_DATA_DIR'] = home
    subprocess.run([luth, 'kernel', 'install', '--user'], check=True, stdout=subprocess.DEVNULL)

    def start():
        manager = KernelManager(kernel_name='luth')
        began = time.perf_counter()
        manager.start_kernel()
        client = manager.blocking_client()
        client.start_channels()
        client.kernel_info()
        client.get_shell_msg(timeout=30)
        took = time.perf_counter() - began
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        return took
    return median_of(start)


# ---- the language server ----
class Server:
    def __init__(self):
        self.process = subprocess.Popen([luth, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send('initialize', {'capabilities': {}}, id=1)
        self.receive()

    def send(self, method, params, **more):
        body = json.dumps({'jsonrpc': '2.0', 'method': method, 'params': params, **more}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = int(self.process.stdout.readline().split(b':')[1])
        self.process.stdout.readline()
        return json.loads(self.process.stdout.read(length))


def server(text):
    uri, server = 'file:///a.lua', Server()
    server.send('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'lua', 'version': 1, 'text': text}})
    server.receive()

    def change():
        begin = {'line': 500, 'character': 0}
        began = time.perf_counter()
        server.send('textDocument/didChange', {'textDocument': {'uri': uri, 'version': 2},
                                               'contentChanges': [{'range': {'start': begin, 'end': begin}, 'text': ' '}]})
        assert server.receive()['method'] == 'textDocument/publishDiagnostics'
        return time.perf_counter() - began
    change()
    took = median_of(change)
    server.process.kill()
    return took


def ordinary():
    """1,000 lines of luth's own Lua files, whole ones, and of the last as many as are left."""
    files = sorted(glob.glob(root + '/share/luth/**/*.lua', recursive=True), key=lambda path: (len(open(path).read()), path))
    text = ''
    for path in files[len(files) // 2:]:
        part = 'do\n' + re.sub(r'(?m)^return ', 'do return end local _ = ', open(path).read()) + '\nend\n'
        if text.count('\n') + part.count('\n') > 1000:
            return text + '\n' * (1000 - text.count('\n'))
        text += part


def long_lines():
    """1,000 lines of 83 characters, all code."""
    parts = []
    for i in range(1000):
        if i % 100 == 0:
            parts.append(('end ' if i else '') + f'function f{i}(x, w, b)')
        line = f'  local y{i % 100} = (x + {i}):matmul(w):add(b):relu():sum(2, {{keepdim = true}}) * w.grad'
        parts.append(line + (82 - len(line)) * '1' if len(line) < 83 else line)
    return '\n'.join(parts) + '\nend\n'


lines = {
    'ready': ('prompt ready', lambda: median_of(ready), 30, 'ms'),
    'echo': ('key to echo, 10,000 entries', echo, 5, 'ms'),
    'completion': ('completion', completion, 30, 'ms'),
    'plot': ('plot of 10^6 points', plot, 100, 'ms'),
    'kernel': ('kernel start to its first answer', kernel, 150, 'ms'),
    'lsp': ('lsp, ordinary lines', lambda: server(ordinary()), 50, 'ms'),
    'lsplong': ('lsp, lines of 83 characters', lambda: server(long_lines()), 50, 'ms'),
    'memory': ('idle memory', memory, 25, 'MiB'),
}
for name, (what, measure, most, unit) in lines.items():
    if not sys.argv[2:] or any(name.startswith(word) for word in sys.argv[2:]):
        print(f'{what:34} {measure():7.1f} {unit}  (at most {most})', flush=True)
