/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switching stacks costs a dozen instructions on x86-64 and aarch64: the
 * callee-saved registers are pushed, the stack pointer exchanged, and those of
 * the other side popped. Elsewhere ucontext is used, which is a hundred times
 * slower because it also exchanges signal masks. Nothing in the simulator
 * changes floating-point control registers, so they are left alone.
 *
 * Each stack has guard pages below it. AddressSanitizer and valgrind are told
 * of every stack; all of that is in this file.
 */
/* MAP_ANONYMOUS and MAP_NORESERVE are not POSIX */
#define _DEFAULT_SOURCE 1

#include "engine/fibre.h"

#include "base/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBRE_ASAN 1
#endif
#endif

#ifdef FIBRE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_BYTES ((size_t)512 * 1024)
#else
#define STACK_BYTES ((size_t)128 * 1024)
#endif

/* A whole number of pages on every machine; so the system need not be asked. */
#define GUARD_BYTES ((size_t)64 * 1024)

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#define FIBRE_UCONTEXT 1
#endif

struct fibre {
	void *sp;           /* where its registers are saved while it does not run */
	unsigned char *map; /* guard pages and stack; NULL: an adopted stack */
	size_t map_bytes;
	struct fibre *came_from; /* who switched here last */
	void (*entry)(void *arg);
	void *arg;
#ifdef FIBRE_UCONTEXT
	ucontext_t context;
#endif
#ifdef FIBRE_ASAN
	void *fake_stack;
	const void *bottom;
	size_t bytes;
#endif
};

#if defined(__x86_64__)
void fibre_swap_stacks(void **save_sp, void *load_sp);
void fibre_start(void);
__asm__(".text\n"
	".p2align 4\n"
	".globl fibre_swap_stacks\n"
	".hidden fibre_swap_stacks\n"
	".type fibre_swap_stacks,@function\n"
	"fibre_swap_stacks:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size fibre_swap_stacks,.-fibre_swap_stacks\n"
	".globl fibre_start\n"
	".hidden fibre_start\n"
	".type fibre_start,@function\n"
	"fibre_start:\n"
	"	movq %r12, %rdi\n"
	"	call *%r13\n"
	"	ud2\n"
	".size fibre_start,.-fibre_start\n");

enum {
	SAVED_WORDS = 7,
	SLOT_ENTRY = 2,
	SLOT_ARG = 3,
	SLOT_RETURN = 6
};

#elif defined(__aarch64__)
void fibre_swap_stacks(void **save_sp, void *load_sp);
void fibre_start(void);
__asm__(".text\n"
	".p2align 4\n"
	".globl fibre_swap_stacks\n"
	".hidden fibre_swap_stacks\n"
	".type fibre_swap_stacks,%function\n"
	"fibre_swap_stacks:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size fibre_swap_stacks,.-fibre_swap_stacks\n"
	".globl fibre_start\n"
	".hidden fibre_start\n"
	".type fibre_start,%function\n"
	"fibre_start:\n"
	"	mov x0, x19\n"
	"	blr x20\n"
	"	brk #1\n"
	".size fibre_start,.-fibre_start\n");

enum {
	SAVED_WORDS = 20,
	SLOT_ARG = 0,
	SLOT_ENTRY = 1,
	SLOT_RETURN = 11
};
#endif

/* Tell AddressSanitizer of a switch: before it, and after it on the new stack. */
static void announce_switch(struct fibre *from, struct fibre *to)
{
	to->came_from = from;
#ifdef FIBRE_ASAN
	__sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->bytes);
#endif
}

static void confirm_switch(struct fibre *self)
{
#ifdef FIBRE_ASAN
	/* this is also how the bounds of an adopted stack become known */
	__sanitizer_finish_switch_fiber(self->fake_stack, &self->came_from->bottom,
					&self->came_from->bytes);
#else
	(void)self;
#endif
}

static void first_steps(void *arg)
{
	struct fibre *f = arg;

	confirm_switch(f);
	f->entry(f->arg);
	CHECK(false && "a fibre's entry returned");
}

size_t fibre_bytes(void)
{
	return STACK_BYTES + GUARD_BYTES;
}

#ifdef FIBRE_UCONTEXT
static void ucontext_entry(unsigned high, unsigned low)
{
	first_steps((void *)(((uintptr_t)high << 16 << 16) | low));
}
#endif

static void prepare_stack(struct fibre *f)
{
#ifdef FIBRE_UCONTEXT
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->map + f->map_bytes - STACK_BYTES;
	f->context.uc_stack.ss_size = STACK_BYTES;
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))ucontext_entry, 2,
		    (unsigned)((uintptr_t)f >> 16 >> 16), (unsigned)(uintptr_t)f);
#else
	void **top = (void **)(void *)(f->map + f->map_bytes - 64);
	void **frame = top - SAVED_WORDS;
	union {
		void (*function)(void *);
		void *pointer;
	} entry = {.function = first_steps};
	union {
		void (*function)(void);
		void *pointer;
	} start = {.function = fibre_start};

	frame[SLOT_ENTRY] = entry.pointer;
	frame[SLOT_ARG] = f;
	frame[SLOT_RETURN] = start.pointer;
	f->sp = frame;
#endif
}

struct fibre *fibre_create(void (*entry)(void *arg), void *arg)
{
	struct fibre *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->map_bytes = fibre_bytes();
	f->map = mmap(NULL, f->map_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->map == MAP_FAILED || mprotect(f->map, GUARD_BYTES, PROT_NONE)) {
		if (f->map != MAP_FAILED)
			munmap(f->map, f->map_bytes);
		free(f);
		return NULL;
	}
	f->entry = entry;
	f->arg = arg;
#ifdef FIBRE_ASAN
	f->bottom = f->map + GUARD_BYTES;
	f->bytes = STACK_BYTES;
#endif
#ifdef VALGRIND_STACK_REGISTER
	(void)VALGRIND_STACK_REGISTER(f->map + GUARD_BYTES, f->map + f->map_bytes);
#endif
	prepare_stack(f);
	return f;
}

struct fibre *fibre_adopt(void)
{
	return calloc(1, sizeof(struct fibre));
}

void fibre_destroy(struct fibre *f)
{
	if (!f)
		return;
#ifdef FIBRE_ASAN
	/* frames that were never left would make the next mapping at this place look poisoned */
	if (f->map)
		__asan_unpoison_memory_region(f->bottom, f->bytes);
#endif
	if (f->map)
		munmap(f->map, f->map_bytes);
	free(f);
}

void fibre_switch(struct fibre *from, struct fibre *to)
{
	CHECK(from != to);
	announce_switch(from, to);
#ifdef FIBRE_UCONTEXT
	swapcontext(&from->context, &to->context);
#else
	fibre_swap_stacks(&from->sp, to->sp);
#endif
	confirm_switch(from);
}
