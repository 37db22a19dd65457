# The kernel of notebooks as a front end sees it: a kernel that jupyter_client starts, and a notebook that nbclient runs.
#   python3 tests/cli/notebook.py LUTH
import json, os, subprocess, sys, tempfile, time

luth = os.path.abspath(sys.argv[1])
home = tempfile.mkdtemp()
os.environ['JUPYTER_DATA_DIR'] = home
os.environ['LC_ALL'] = 'C.UTF-8'
subprocess.run([luth, 'kernel', 'install', '--user'], check=True, stdout=subprocess.DEVNULL)

import nbclient, nbformat
from jupyter_client import KernelManager


def check(ok, *about):
    if not ok:
        raise SystemExit(f'failed: {about}')


manager = KernelManager(kernel_name='luth')
began = time.monotonic()
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=30)
print(f'ready after {1000 * (time.monotonic() - began):.0f} ms')


def run(code, answer=None, timeout=30, **options):
    """What a cell gives: its reply, and texts and data by kind."""
    seen = {'stdout': '', 'stderr': '', 'results': [], 'display': [], 'error': None, 'updates': []}

    def on_output(message):
        kind, content = message['msg_type'], message['content']
        if kind == 'stream':
            seen[content['name']] += content['text']
        elif kind == 'execute_result':
            seen['results'].append(content['data'])
        elif kind == 'display_data':
            seen['display'].append(content['data'])
        elif kind == 'error':
            seen['error'] = content
    def on_question(message):
        seen['question'] = message['content']
        client.input(answer)
    reply = client.execute_interactive(code, output_hook=on_output, stdin_hook=on_question, timeout=timeout, allow_stdin=answer is not None, **options)
    seen['reply'] = reply['content']
    return seen


# ---- results and streams ----
r = run('1 + 1')
check(r['results'] == [{'text/plain': '2'}] and r['reply']['execution_count'] == 1, r)
r = run("local z = 3\nlocal f = print\n-- the last line is shown\nz * 2")
check(r['results'] == [{'text/plain': '6'}], r)
check(run('z = 1\nprint(z)')['results'] == [] and run('z = nil\nz')['results'] == [], 'nil')
check(run('local g = string.rep\n("x")')['reply']['status'] == 'error', 'a line that goes on')
check(']:3:' in run('local a = 1\nlocal b = 2\nerror("here")')['error']['evalue'], 'lines')
r = run(':mem') and run('local a = 1\nfunction fails() error("there") end\na, fails()')  # the numbers of cells are the names of chunks
number = r['reply']['execution_count']
check(number > 1 and r['error']['evalue'] == f'[{number}]:2: there', r)
check('function fails() error("there") end' in run('?? fails')['stdout'], 'a function of statements before an expression')
check(run(':vars')['stdout'].split()[:2] == ['a', '1'], "display and input are no variables of the user's")
check("':tme' is no command; did you mean 'time'?" in run(':tme 1')['error']['evalue'], 'a command that is none')
check(run('exit')['reply']['payload'] == [{'source': 'ask_exit', 'keepkernel': False}] and run('exit = 3\nexit')['reply']['payload'] == [], 'exit')
r = run("local x = 5\nprint('first') io.stderr:write('second\\n')")
check(r['stdout'] == 'first\n' and r['stderr'] == 'second\n' and not r['results'], r)
r = run("x, 'two'")
check(r['results'] == [{'text/plain': "5\t'two'"}], r)
r = run('torch.tensor{{1, 2}, {3, 4}}')
check(r['results'][0]['text/plain'].startswith('tensor([[1, 2]'), r)
r = run("os.execute 'echo child'")
check(r['stdout'] == 'child\n', r)
r = run("for i = 1, 3 do io.write('\\r', i) io.flush() end")
check(r['stdout'] == '\r1\r2\r3', r)
r = run("print('a' .. string.char(255) .. 'b')")
check(r['stdout'] == 'a\ufffdb\n', r)
r = run("print(('x'):rep(300000))")
check(len(r['stdout']) == 300001, len(r['stdout']))
r = run("for i = 1, 200 do print(('汉'):rep(3001)) end")
check(r['stdout'] == ('汉' * 3001 + '\n') * 200, 'characters')
check(run('7', silent=True)['reply']['status'] == 'ok', 'silent')

# ---- expressions beside a cell ----
r = run('local w = 20', user_expressions={'a': 'w + 1', 'b': 'error "late"', 'c': 'w +', 'd': "{html = '<b>x</b>'}", 'e': 'torch.ones(2)'})
values = r['reply']['user_expressions']
check(values['a'] == {'status': 'ok', 'data': {'text/plain': '21'}, 'metadata': {}}, values)
check(values['b']['status'] == 'error' and 'late' in values['b']['evalue'] and values['b']['traceback'], values)
check(values['c']['status'] == 'error' and values['d']['data']['text/html'] == '<b>x</b>', values)
check(values['e']['data']['text/plain'] == 'tensor([1., 1.])' and r['results'] == [] and not r['error'], values)
check(run('1', silent=True, user_expressions={'a': '2'})['reply']['user_expressions']['a']['data'] == {'text/plain': '2'}, 'silent')
check(run('error "first"', user_expressions={'a': '1'})['reply'].get('user_expressions', {}) == {}, 'none behind an error')

odd = "setmetatable({}, {__index = {_repr_html_ = function() return {} end}})"
r = run(odd)
check('_repr_html_ gives a table, where a string belongs' in r['error']['evalue'], r)
r = run('0', user_expressions={'a': odd, 'b': '1'})
values = r['reply']['user_expressions']
check(values['a']['status'] == 'error' and values['b']['status'] == 'ok', values)

# ---- pictures and HTML ----
r = run('plot{1, 3, 2}')
check(r['display'][0]['image/svg+xml'].startswith('<svg') and r['display'][0]['image/png'].startswith('iVBOR') and r['stdout'] == '', r)
r = run("setmetatable({}, {__index = {_repr_html_ = function() return '<b>bold</b>' end}, __tostring = function() return 'bold' end})")
check(r['results'][0] == {'text/plain': 'bold', 'text/html': '<b>bold</b>'}, r)
check(run('display{foo = 1}')['display'][0] == {'text/plain': '{foo = 1}'}, 'display shows what a result shows')
r = run("display{html = '<i>x</i>', text = 'x'}")
check(r['display'][0] == {'text/plain': 'x', 'text/html': '<i>x</i>'}, r)

# ---- errors ----
r = run("local function f() error('broken') end\nlocal y = f()")
check(r['error'] and 'broken' in r['error']['evalue'] and any('traceback' in line for line in r['error']['traceback']), r)
check(r['reply']['status'] == 'error' and r['stderr'] == '', r)
r = run('for i = 1 do')
check(r['reply']['status'] == 'error', r)
client.execute("error 'first'")
second = client.execute('2')
while True:
    reply = client.get_shell_msg(timeout=30)
    if reply['parent_header']['msg_id'] == second:
        break
check(reply['content']['status'] in ('aborted', 'ok'), reply)  # ok where it came after the error

# ---- what a front end asks ----
def ask(method, *arguments, **options):
    number = getattr(client, method)(*arguments, **options)
    while True:
        reply = client.get_shell_msg(timeout=30)
        if reply['parent_header']['msg_id'] == number:
            return reply['content']

r = ask('complete', 'größe = torch.softm', 19)
check('softmax' in r['matches'] and r['cursor_start'] == 14 and r['cursor_end'] == 19, r)
r = ask('inspect', 'y = torch.topk(x, 3)', 14)
check(r['found'] and 'topk(' in r['data']['text/plain'], r)
check(not ask('inspect', '1 + 1', 1)['found'], 'inspect')
check(ask('is_complete', 'for i = 1, 3 do')['status'] == 'incomplete' and ask('is_complete', 'x = 1')['status'] == 'complete', 'is_complete')
r = ask('history', hist_access_type='tail', n=2, raw=True, output=False)
check(len(r['history']) == 2 and r['history'][1][2] in ("error 'first'", '2'), r)
r = ask('history', hist_access_type='search', pattern='*softmax*', n=5, raw=True, output=False)
check(r['history'] == [], r)
r = run('? torch.topk')
check('topk' in r['stdout'], r)
check(run('!echo shell')['stdout'] == 'shell\n' and ' of processor time' in run(':time 1 + 1')['stdout'], 'commands')
r = run("local name = input('name? ')\nprint('hello ' .. name, io.read())", answer='you')
check(r['stdout'] == 'hello you\tyou\n', r)
check('no questions' in run("input('name? ')")['error']['evalue'], 'input')

# ---- interrupt, restart, end ----
for code in ('while true do end', "pcall(function() while true do end end)", 'while true do pcall(error) end'):
    number = client.execute(code)
    while True:
        message = client.get_iopub_msg(timeout=30)
        if message['msg_type'] == 'execute_input' and message['parent_header']['msg_id'] == number:
            break
    manager.interrupt_kernel()
    began = time.monotonic()
    reply = client.get_shell_msg(timeout=30)
    while reply['parent_header']['msg_id'] != number:
        reply = client.get_shell_msg(timeout=30)
    check(reply['content']['status'] == 'error' and 'interrupted' in reply['content']['evalue'], code, reply)
for _ in range(3):
    manager.interrupt_kernel()  # of an idle kernel: nothing
check(run('x')['results'] == [{'text/plain': '5'}], 'the session went on')

# Messages that are none, whose signature is wrong, or which are signed and have no end.
import zmq
with open(manager.connection_file) as file:
    connection = json.load(file)
socket = zmq.Context.instance().socket(zmq.DEALER)
socket.connect(f"tcp://{connection['ip']}:{connection['shell_port']}")
for _ in range(6000):
    socket.send_multipart([b'junk'])
for frames in ([b'x'], [b'<IDS|MSG>', b'0' * 64, b'{}', b'{}', b'{}', b'{}'], [b'<IDS|MSG>'] + [b'\xff'] * 5, [b''] * 100):
    socket.send_multipart(frames)
deep = b'{"code": "1", "x": ' + b'[' * 200000 + b']' * 200000 + b'}'
for parts in ([b'{"msg_type": "execute_request"}', b'{}', b'{}', deep], [deep] * 4, [b'{}'] * 4, [b'{"msg_type": 3}'] * 4):
    socket.send_multipart([b'<IDS|MSG>', client.session.sign(parts)] + parts)
check(run('x')['results'] == [{'text/plain': '5'}], 'messages of strangers')
socket.close(0)

manager.restart_kernel()
client.wait_for_ready(timeout=30)
r = run('x')
check(r['results'] == [{'text/plain': 'nil'}] and r['reply']['execution_count'] == 1, r)
client.stop_channels()
manager.shutdown_kernel()
check(not manager.is_alive(), 'shutdown')

# ---- a notebook ----
cells = ["x = torch.arange(1, 5)\nx:sum()", "plot(x)", "print 'done'"]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells], metadata={'kernelspec': {'name': 'luth', 'display_name': 'Lua (luth)'}})
nbclient.NotebookClient(notebook, kernel_name='luth', timeout=60).execute()
outputs = [cell['outputs'] for cell in notebook.cells]
check(outputs[0][0]['data']['text/plain'] == 'tensor(10)', outputs[0])
check('image/png' in outputs[1][0]['data'] and outputs[2][0]['text'] == 'done\n', outputs)

# ---- places that cannot be had ----
busy = dict(connection)
holder = zmq.Context.instance().socket(zmq.REP)
busy['shell_port'] = holder.bind_to_random_port('tcp://127.0.0.1')
path = os.path.join(home, 'busy.json')
with open(path, 'w') as file:
    json.dump(busy, file)
for text, words in ((path, 'cannot listen at'), ('/nonexistent.json', 'nonexistent.json'), (__file__, 'connection file')):
    done = subprocess.run([luth, 'kernel', 'run', text], capture_output=True, text=True, timeout=30)
    check(done.returncode == 2 and words in done.stderr, done)
print('passed')
