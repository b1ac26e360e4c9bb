import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'jsdom',
    include: ['labextension/tests/**/*.test.ts'],
    // One worker: the tests take less time than starting a second.
    maxWorkers: 1
  }
});
