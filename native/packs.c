/* Variant packs; see packs.h. */

#include "packs.h"

#include <string.h>

void drop_pack(struct pack *pack)
{
    typedef int (*destroy_type)(void *);
    void *descriptor = pack->descriptor;
    pack->descriptor = NULL;
    if (descriptor && functions[indices[DESTROY]]) F(DESTROY, destroy_type)(descriptor);
}

static int fill_pack(struct plan *self, struct pack *pack, const uintptr_t *addresses,
                     uintptr_t workspace)
{
    typedef int (*create_type)(int, void **);
    typedef int (*set_type)(void *, int, int, int64_t, const void *);
    typedef int (*finalize_type)(void *);
    set_type set = F(SET, set_type);
    int status;
    drop_pack(pack);
    status = F(CREATE, create_type)(numbers[PACK], &pack->descriptor);
    if (status) return pack->descriptor = NULL, status;
    if ((status = set(pack->descriptor, numbers[UIDS], numbers[INT64], self->packed, self->uids))
        || (status = set(pack->descriptor, numbers[POINTERS], numbers[VOID_PTR], self->packed,
                         addresses))
        || (status = set(pack->descriptor, numbers[WORKSPACE], numbers[VOID_PTR], 1, &workspace))
        || (status = F(FINALIZE, finalize_type)(pack->descriptor))) {
        drop_pack(pack);
        return status;
    }
    memcpy(pack->addresses, addresses, (size_t)self->packed * sizeof *addresses);
    pack->workspace = workspace;
    return 0;
}

static inline int has_addresses(struct plan *self, const struct pack *pack,
                                const uintptr_t *addresses, uintptr_t workspace)
{
    int i;
    if (!pack->descriptor || pack->workspace != workspace) return 0;
    for (i = 0; i < self->packed; ++i)
        if (pack->addresses[i] != addresses[i]) return 0;
    return 1;
}

/* The pack with these addresses, which is filled where none of the last has them. Where several are used
   in turns, each comes after the one that was used before it. */
static RARE int find_pack(struct plan *self, const uintptr_t *addresses, uintptr_t workspace)
{
    int i, status;
    for (i = 1; i < MAX_PACKS; ++i) {
        int index = (self->last + i) % MAX_PACKS;
        if (has_addresses(self, pack_at(self, index), addresses, workspace))
            return self->last = index, 0;
    }
    status = fill_pack(self, pack_at(self, self->next), addresses, workspace);
    if (status) return status;
    self->last = self->next;
    self->next = (self->next + 1) % MAX_PACKS;
    return 0;
}

/* Executes the plan with a pack of these addresses; the lock is held. */
static int execute(struct plan *self, uintptr_t handle, uintptr_t plan, const uintptr_t *addresses,
                   uintptr_t workspace)
{
    typedef int (*execute_type)(uintptr_t, uintptr_t, void *);
    int status;
    if (!has_addresses(self, pack_at(self, self->last), addresses, workspace)
        && (status = find_pack(self, addresses, workspace)))
        return status;
    return F(EXECUTE, execute_type)(handle, plan, pack_at(self, self->last)->descriptor);
}

HOT int execute_once(struct plan *self, struct place_of_call *where, uintptr_t plan,
                        const uintptr_t *found, uintptr_t workspace)
{
    uintptr_t addresses[MAX_PACKED];
    int i, status = 0;
    for (i = 0; i < self->packed; ++i) {
        int source = self->sources[i].source;
        addresses[i] = self->sources[i].offset
                       + (source >= 0 ? found[source] : source == FROM_WORKSPACE ? workspace : 0);
    }
    acquire(&self->lock);
    where->closed = self->closed;
    if (!where->closed)
        status = execute(self, where->handle, plan, addresses, workspace);
    release(&self->lock);
    return status;
}
