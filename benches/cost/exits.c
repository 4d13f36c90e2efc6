/* A process that only exits: the kernel's own part of every figure. */
void _start(void) {
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = 93;
    register long code __asm__("x0") = 0;
    __asm__ volatile("svc 0" : : "r"(number), "r"(code) : "memory");
#endif
    __builtin_unreachable();
}
