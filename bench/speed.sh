#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How fast the simulator is, from the command and its --host-stats, which count
# process CPU time, so that other load matters little. One run on one core; best
# of five. Prints `name value unit`, and `# text` for people; never fails.
#
#   speed.sh BUILD_DIR
#
# A scheduler event is a context switch, a wake-up, a block or a tick executed.
# The periodic work is eight groups of 500 tasks, whose periods are the
# octile middles of 2 to 100 ms, and whose work keeps the CPUs about 90 % busy
# when siblings slow each other down. The real-time loads on 32 CPUs are the same
# with 400 SCHED_FIFO tasks, the shorter the period the more important; the like as
# a file of rt-app, in which 50 tasks at a time are released at one instant; and
# oltp, with which all CPUs always have work: 400 tasks, and 309 that the machine can
# just serve, so that nearly every switch looks for work on all other CPUs.
# floor.c of the shared folder is a loop
# without policy, balancing and prices that does the same kind of work: the
# yardstick, not a rival.
build=${1:?build folder}
shared=${RUNQLAB_SHARED:-../shared}
tmp=$(mktemp -d) || exit 0
trap 'rm -rf "$tmp"' EXIT
kernel=2.6.35

# periodic PERMILLION: the eight groups; each task computes that part of its period.
periodic()
{
	for period_us in 8100 20400 32600 44900 57100 69400 81600 93900; do
		printf ' -w periodic:n=500,period=%dus,run=%dns' \
			$period_us $((period_us * $1 / 1000))
	done
}
real_time_periodic()
{
	prio=80
	for period_us in 8100 20400 32600 44900 57100 69400 81600 93900; do
		printf ' -w periodic:n=50,period=%dus,run=%dns,policy=fifo,prio=%d' \
			$period_us $((period_us * 47)) $prio
		prio=$((prio - 10))
	done
}
work_32="-m snb-ep$(periodic 4700)"
work_224="-m 2x56x2$(periodic 33400)"
work_spin="-m nhm-ep -w spin:n=100"
rt_kernel=3.19,+rt-select-check,+rt-find-check,sched_rt_runtime_us=-1
work_rt_periodic="-m snb-ep$(real_time_periodic)"
work_rt_in_step="-m snb-ep -w bench/rt_in_step.json"
work_oltp="-m snb-ep -w oltp:servers=316,burst=50us,writers=2,lower=32,short=50,irqs=8"
work_oltp_edge="-m snb-ep -w oltp:servers=225,burst=50us,writers=2,lower=32,short=50,irqs=8"
work_big="-m 2x256x2 -w periodic:n=100000,period=1s,run=3ms"

# field NAME: a number of the last run's host figures.
field()
{
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$tmp/host"
}

# simulate OPTIONS: one run; its result in $tmp/result, its figures in $tmp/host.
simulate()
{
	# shellcheck disable=SC2086
	"$build/runqlab" run -k $kernel $1 --host-stats "$tmp/host" --json >"$tmp/result" \
		2>"$tmp/error" && return 0
	echo "# failed: runqlab run -k $kernel $1: $(head -1 "$tmp/error")"
	return 1
}

# speed NAME OPTIONS: scheduler events per CPU second.
speed()
{
	echo "# $1: runqlab run -k $kernel $2"
	best=0
	for _ in 1 2 3 4 5; do
		simulate "$2" || return
		rate=$(field events_per_cpu_s)
		[ "$rate" -gt "$best" ] && best=$rate
	done
	awk -v n="$1" -v r="$best" 'BEGIN { printf "%s %.2f M/s\n", n, r / 1e6 }'
	awk -F '[:,]' -v name="$1" '
	/"busy_ns"/ { for (i = 1; i < NF; i++) if ($i ~ /busy_ns/) { busy += $(i + 1); cpus++ } }
	/"simulated_ns"/ { for (i = 1; i < NF; i++) if ($i ~ /simulated_ns/) ns = $(i + 1) }
	END { if (cpus && ns) printf "%s_busy %.1f %%\n", name, 100 * busy / cpus / ns }
	' "$tmp/result"
}

# floor NAME CPUS
floor()
{
	line=$(build/floor per 4000 "$2" 10 2>/dev/null) || return
	echo "# $1: floor per 4000 $2 10"
	echo "$line" | sed -n "s/.*scheduler events[^=]*= *\([0-9.]*\)M.*/$1 \1 M\/s/p"
}

# instructions NAME OPTIONS SHORT LONG: per event, by the difference of two lengths.
instructions()
{
	for time in "$3" "$4"; do
		# shellcheck disable=SC2086
		valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" \
			"$build/runqlab" run -k $kernel $2 -t "$time" --host-stats "$tmp/host" \
			>/dev/null 2>"$tmp/error" || return
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$tmp/error"
		field events
	done | tr '\n' ' ' | awk -v n="$1" 'NF == 4 && $4 > $2 {
		printf "%s %.0f instructions\n", n, ($3 - $1) / ($4 - $2) }'
}

echo "# $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)," \
	"$(awk -F: '/^cpu MHz/ { printf "%.0f MHz", $2; exit }' /proc/cpuinfo)"
speed periodic_4000_on_32 "$work_32 -t 10s"
speed periodic_4000_on_224 "$work_224 -t 10s"
speed spin_100_on_16 "$work_spin -t 200s"
for kernel in 5.4 5.5; do
	speed periodic_4000_on_224_$kernel "$work_224 -t 3s"
	speed hackbench_128_on_arm64_224_$kernel "-m arm64-224 -w hackbench:groups=128,loops=20"
done
kernel=6.12-debian
speed periodic_4000_on_32_$kernel "$work_32 -t 3s"
speed periodic_4000_on_224_$kernel "$work_224 -t 3s"
kernel=$rt_kernel
speed rt_periodic_400_on_32 "$work_rt_periodic -t 20s"
speed rt_in_step_400_on_32 "$work_rt_in_step -t 20s"
speed rt_oltp_400_on_32 "$work_oltp -t 2s"
speed rt_oltp_309_on_32 "$work_oltp_edge -t 1s"
kernel=2.6.35

mkdir -p build
if [ -f "$shared/bench/floor.c" ]; then
	if ${CC:-gcc} -O3 -o build/floor "$shared/bench/floor.c" -lm 2>"$tmp/error"; then
		floor floor_4000_on_32 32
		floor floor_4000_on_224 224
	else
		echo "# floor.c: not built: $(head -1 "$tmp/error")"
	fi
else
	echo "# floor.c: skipped, no $shared/bench/floor.c"
fi

if command -v valgrind >/dev/null; then
	instructions instructions_per_event_on_32 "$work_32" 100ms 300ms
	instructions instructions_per_event_on_224 "$work_224" 100ms 300ms
	for kernel in 5.4 5.5 6.12-debian; do
		instructions instructions_per_event_on_224_$kernel "$work_224" 100ms 300ms
	done
	instructions instructions_per_event_on_32_$kernel "$work_32" 100ms 300ms
	kernel=$rt_kernel
	instructions instructions_per_event_rt_periodic "$work_rt_periodic" 300ms 900ms
	instructions instructions_per_event_rt_in_step "$work_rt_in_step" 300ms 900ms
	instructions instructions_per_event_rt_oltp_400 "$work_oltp" 20ms 60ms
	instructions instructions_per_event_rt_oltp_309 "$work_oltp_edge" 20ms 60ms
	kernel=2.6.35
else
	echo "# instructions: skipped, no valgrind"
fi

echo "# big: runqlab run -k $kernel $work_big -t 3s"
if simulate "$work_big -t 3s"; then
	awk -v peak="$(field peak_memory_bytes)" -v arena="$(field arena_bytes)" 'BEGIN {
		printf "peak_memory_100000_on_1024 %.1f MB\n", peak / 1e6
		printf "arena_per_task_100000_on_1024 %.0f B\n", arena / 100000
		if (peak >= 1e9) print "# peak memory: over the 1 GB it should stay below"
	}'
	awk -v r="$(field events_per_cpu_s)" 'BEGIN {
		printf "periodic_100000_on_1024 %.2f M/s\n", r / 1e6 }'
fi

# messages NAME COUNT: millions a second of the CPU time the last `times` line on standard input tells.
messages()
{
	tail -1 | awk -v name="$1" -v count="$2" '{
		for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
		if (s > 0) printf "%s %.3f M/s\n", name, count / s / 1e6 }'
}

# The simulator beside the real program on this machine; null_syscall, printed above, tells how
# much the latter suffers from running here.
work_hack="-m snb-ep --autogroup -w hackbench:groups=100,loops=200"
echo "# hackbench_simulated: runqlab run -k 3.4 $work_hack"
# shellcheck disable=SC2086
sh -c "\"$build/runqlab\" run -k 3.4 $work_hack >/dev/null 2>&1; times" |
	messages hackbench_simulated 8000000
if command -v hackbench >/dev/null; then
	echo "# hackbench_real: hackbench -g 10 -l 500 -s 100"
	sh -c 'hackbench -g 10 -l 500 -s 100 >/dev/null 2>&1; times' |
		messages hackbench_real 2000000
else
	echo "# hackbench_real: skipped, no hackbench (package rt-tests)"
fi

echo "# case: runqlab case run 2010-over-scheduling, CPU time of all its runs"
sh -c "\"$build/runqlab\" case run 2010-over-scheduling >/dev/null 2>&1; times" | tail -1 |
	awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
		printf "case_2010 %.2f s\n", s }'
exit 0
