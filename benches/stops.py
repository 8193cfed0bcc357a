"""How soon Ctrl-C ends the work of each node: the time from the signal to KeyboardInterrupt, in milliseconds.

Run by `tools/wheel --stops [SAMPLES [THREADS]]`; SAMPLES a side are 1025 and THREADS 2 without. Every node that runs on
squares works on the same ground with its default parameters; the signal comes from another thread at moments spread
evenly over the time that the node takes by itself, processes with their whole run. What takes less than 10 ms is not
interrupted. Nothing here decides whether a test passes: the machine's other work is in these times.
"""

import os
import signal
import sys
import threading
import time

import numpy as np
import talweg

MOMENTS = 8
#: What the signal is waited for at the most, from the start of the work.
LONGEST = 5.0
WANTED = 0.050


def ground(samples: int) -> np.ndarray:
    return talweg.Perlin(octaves=8).run(size=samples, cell_metres=30.0, relief_metres=1000.0).heights


def seconds_of(work) -> float | None:
    """What the work takes by itself, LONGEST at the most; none where a node refuses it."""
    end = threading.Timer(LONGEST, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.perf_counter()
    try:
        end.start()
        work()
    except KeyboardInterrupt:
        pass
    except talweg.TalwegError:
        return None
    finally:
        end.cancel()
    return time.perf_counter() - begun


def delay(work, after: float) -> float | None:
    """Seconds from a signal to its exception; none where the work ended first."""
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    try:
        timer.start()
        work()
        timer.cancel()
        # a signal on its way is not left to whatever comes next
        timer.join()
        time.sleep(0.02)
    except KeyboardInterrupt:
        return time.perf_counter() - pressed[0]
    return None


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1025
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    heights = ground(samples)
    found = []
    for name in talweg.nodes.__all__:
        node = getattr(talweg, name)()

        def work(node=node):
            node.run(heights, cell_metres=30.0, threads=threads)

        whole = seconds_of(work)
        if whole is None or whole < 0.01:
            continue
        moments = (delay(work, whole * (k + 0.5) / MOMENTS) for k in range(MOMENTS))
        delays = [moment for moment in moments if moment is not None]
        if delays:
            found.append((max(delays), name, whole, delays))
    found.sort(reverse=True)
    every = [moment for *_, delays in found for moment in delays]
    print(f"{samples} × {samples} samples, {threads} threads: milliseconds from Ctrl-C to KeyboardInterrupt")
    print(f"{'node':24}{'works, s':>10}{'median':>10}{'longest':>10}")
    for longest, name, whole, delays in found:
        print(f"{name:24}{whole:10.2f}{1e3 * float(np.median(delays)):10.1f}{1e3 * longest:10.1f}")
    within = sum(moment <= WANTED for moment in every)
    print(f"{len(found)} nodes, {len(every)} signals, {within} within {1e3 * WANTED:.0f} ms, the longest {1e3 * max(every):.1f} ms")


if __name__ == "__main__":
    main()
