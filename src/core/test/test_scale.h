/* test_scale.h: how much a test draws. Under a sanitizer code takes some ten times as long, so random draws are a tenth; what is asserted of each
 * is the same. `make test` draws them all.
 *
 *     for (int i = 0; i < TEST_SCALED(20000); i++)
 */
#ifndef ATTEST_TEST_SCALE_H
#define ATTEST_TEST_SCALE_H

#if defined(__SANITIZE_ADDRESS__)
#define TEST_SCALE 10
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_SCALE 10
#endif
#endif
#ifndef TEST_SCALE
#define TEST_SCALE 1
#endif
#define TEST_SCALED(n) (((n) + TEST_SCALE - 1) / TEST_SCALE)

#endif
