/* The least that starting a program can cost: what every figure is a ratio to. */
int main(void) { return 0; }
