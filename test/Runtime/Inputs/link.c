#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Value/Value.h"
#include <stdio.h>

void printF32(float value);
void printNewline(void);

static void square(void *context, int64_t begin, int64_t end) {
  int64_t *numbers = context;
  for (int64_t i = begin; i < end; ++i)
    numbers[i] = i * i;
}

int main(void) {
  int64_t *numbers = lispier_rt_alloc(1000 * sizeof(int64_t)), sum = 0;
  lispier_rt_parallel_for(square, numbers, 1000, 10);
  for (int i = 0; i < 1000; ++i)
    sum += numbers[i];
  printF32(0.5f);
  printNewline();
  printf("%lld\n", (long long)sum);
  lispier_rt_free(numbers);
  lispier_value *list = value_list_new();
  for (int i = 0; i < 3; ++i)
    value_list_push(list, value_number_new(i));
  printf("%lld items\n", (long long)value_list_len(list));
  return 0;
}
