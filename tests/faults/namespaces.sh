#!/usr/bin/env bash
# Two ranks in network namespaces that a link connects: with delay and loss they compute as before; when the link goes down, both
# end with code 6 after the time-out and name each other.   bash namespaces.sh LUTH
set -uo pipefail
luth=$1 limit=3 a=luth-a-$$ b=luth-b-$$
skip() { echo "skipped: $1"; exit 77; }
folder=$(mktemp -d)
# shellcheck disable=SC2329  # by trap
clean() {
  ip netns del "$a" 2>/dev/null
  ip netns del "$b" 2>/dev/null
  rm -rf "$folder" "/etc/netns/$a" "/etc/netns/$b"
}
trap clean EXIT
command -v ip >/dev/null || skip 'ip (iproute2) is not here'
ip netns add "$a" 2>/dev/null && ip netns add "$b" || skip 'network namespaces are not permitted here'
ip -n "$a" link add veth0 type veth peer name veth0 netns "$b" 2>/dev/null || skip 'the kernel has no veth'
ip -n "$a" addr add 192.168.199.1/24 dev veth0 && ip -n "$b" addr add 192.168.199.2/24 dev veth0
for space in "$a" "$b"; do ip -n "$space" link set lo up && ip -n "$space" link set veth0 up; done

cat > "$folder/s.lua" <<LUA
local dist = torch.distributed
dist.init_process_group { timeout = $limit }
local x, calls = torch.ones(1000), tonumber(arg[1])
for i = 1, calls do
  x:fill_(1)
  dist.all_reduce(x)
  assert(x[1]:item() == 2)
  if i == 20 then io.open('$folder/begun' .. dist.get_rank(), 'w'):close() end
end
LUA
# rank, namespace, calls: its output and code are in the folder
master=192.168.199.1
start() {
  (RANK=$1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=1 MASTER_ADDR=$master MASTER_PORT=29500 ip netns exec "$2" timeout 60 "$luth" "$folder/s.lua" "$3" \
    > "$folder/log$1" 2>&1; echo $? > "$folder/code$1") &
}
fail() { echo "$1"; cat "$folder"/log?; exit 1; }

# A machine often has a loopback's address for its own name, by which the other one cannot reach it.
if mkdir -p "/etc/netns/$a" "/etc/netns/$b" 2>/dev/null; then
  echo '127.0.1.1 first' > "/etc/netns/$a/hosts"
  echo '192.168.199.1 first' > "/etc/netns/$b/hosts"
  master=first
  start 0 "$a" 40 && start 1 "$b" 40 && wait
  [ "$(cat "$folder"/code?)" = $'0\n0' ] || fail 'the ranks should reach each other, whatever the name of the first is'
  master=192.168.199.1
  echo 'a name of the loopback: passed'
fi

if tc -n "$a" qdisc add dev veth0 root netem delay 20ms 5ms loss 2% 2>/dev/null; then
  start 0 "$a" 40 && start 1 "$b" 40 && wait
  [ "$(cat "$folder"/code?)" = $'0\n0' ] || fail 'with delay and loss, the ranks should end well'
  tc -n "$a" qdisc del dev veth0 root
  echo 'delay and loss: passed'
else
  echo 'delay and loss: skipped, the kernel has no netem'
fi

rm -f "$folder"/begun?
start 0 "$a" 100000000 && start 1 "$b" 100000000
for _ in $(seq 200); do [ -e "$folder/begun0" ] && [ -e "$folder/begun1" ] && break; sleep 0.1; done
[ -e "$folder/begun1" ] || fail 'the ranks have not begun'
ip -n "$b" link set veth0 down
begin=$SECONDS
wait
took=$((SECONDS - begin))
[ "$(cat "$folder"/code?)" = $'6\n6' ] || fail 'in a partition, both ranks should end with code 6'
[ $took -le $((limit + 6)) ] || fail "the ranks took $took s to end"
grep -q 'rank 1' "$folder/log0" && grep -q 'rank 0' "$folder/log1" || fail 'each rank should name the other'
echo "partition: passed, in $took s"
