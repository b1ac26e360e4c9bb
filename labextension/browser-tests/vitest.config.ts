import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['labextension/browser-tests/**/*.test.ts'],
    // A real model takes minutes to load: `make test-slow` waits for it.
    exclude: process.env.TIR_TEST_SLOW === '1' ? [] : ['**/*.slow.test.ts'],
    // Each file starts a JupyterLab and a browser of its own: one at a time.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 90_000
  }
});
