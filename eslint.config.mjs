import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig([
  {
    ignores: [
      '.venv/',
      'build/',
      'jupyterlab_tir/',
      'kernel_ext/jupyterlab_tir_kernel/view.js',
      'node_modules/'
    ]
  },
  js.configs.recommended,
  {
    files: ['labextension/**/*.ts'],
    extends: [
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
      jupyter.configs.recommended
    ],
    languageOptions: {
      parserOptions: { project: 'tsconfig.check.json' }
    },
    rules: {
      '@typescript-eslint/explicit-function-return-type': [
        'error',
        { allowExpressions: true }
      ],
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true }
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true }
      ],
      // Lumino's signals take a method and its `this` as two arguments.
      '@typescript-eslint/unbound-method': 'off',
      curly: 'error',
      eqeqeq: 'error',
      // The panel and the renderer are needed as soon as the page is there, and small.
      'jupyter/prefer-lazy-imports': 'off',
      'no-console': 'error',
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: ['labextension/browser-tests/**'],
    rules: {
      // Playwright without Galata, whose helpers there are not.
      'jupyter/galata-prefer-menu-helper': 'off',
      'jupyter/galata-prefer-notebook-cell-helper': 'off',
      'jupyter/galata-prefer-sidebar-activity-helper': 'off'
    }
  },
  prettier
]);
