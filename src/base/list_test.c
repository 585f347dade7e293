/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/list.h"

struct item {
	int before; /* so that the node is not at offset 0 */
	struct list node;
	int value;
};

static int value_of(struct list *l)
{
	return container_of(l, struct item, node)->value;
}

/* The values of the list as decimal digits, first to last; backwards must agree. */
static int digits(struct list *head)
{
	struct list *pos;
	int forward = 0, backward = 0, scale = 1;

	list_for_each(pos, head)
		forward = forward * 10 + value_of(pos);
	for (pos = head->prev; pos != head; pos = pos->prev) {
		backward += value_of(pos) * scale;
		scale *= 10;
	}
	assert_int_equal(forward, backward);
	return forward;
}

static void test_new_list_is_empty(void **state)
{
	struct list head;

	list_init(&head);
	assert_true(list_is_empty(&head));
	assert_int_equal(digits(&head), 0);
}

static void test_order_of_both_ends(void **state)
{
	struct item a = {.value = 1}, b = {.value = 2}, c = {.value = 3};
	struct list head;

	list_init(&head);
	list_add_tail(&head, &b.node);
	list_add_tail(&head, &c.node);
	list_add(&head, &a.node);
	assert_false(list_is_empty(&head));
	assert_int_equal(digits(&head), 123);
}

static void test_second_delete_is_harmless(void **state)
{
	struct item a = {.value = 1}, b = {.value = 2}, c = {.value = 3};
	struct list head;

	list_init(&head);
	list_add_tail(&head, &a.node);
	list_add_tail(&head, &b.node);
	list_add_tail(&head, &c.node);
	list_del(&b.node);
	list_del(&b.node);
	assert_true(list_is_empty(&b.node));
	assert_int_equal(digits(&head), 13);
	list_del(&a.node);
	list_del(&c.node);
	assert_true(list_is_empty(&head));
}

static void test_walk_may_take_out_the_current_node(void **state)
{
	struct item items[5];
	struct list head, *pos, *tmp;

	list_init(&head);
	for (int i = 0; i < 5; i++) {
		items[i].value = i + 1;
		list_add_tail(&head, &items[i].node);
	}
	list_for_each_safe(pos, tmp, &head)
		if (value_of(pos) % 2 == 0)
			list_del(pos);
	assert_int_equal(digits(&head), 135);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_list_is_empty),
		cmocka_unit_test(test_order_of_both_ends),
		cmocka_unit_test(test_second_delete_is_harmless),
		cmocka_unit_test(test_walk_may_take_out_the_current_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
