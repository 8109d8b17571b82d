"""Many threads load the library at once and get the same one."""

import threading

import cudnn_cffi.library as library

barrier = threading.Barrier(32)
found: list[tuple[int, int]] = []


def first_use():
    barrier.wait()
    library_ = library.load()
    found.append((id(library_), library_.address("cudnnCreate")))


threads = [threading.Thread(target=first_use) for _ in range(32)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 32 and len(set(found)) == 1, found
assert found[0][1] != 0, found[0][1]
