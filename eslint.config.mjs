import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Literals with letters in the places where a page's words are given: as the content of an element,
 * to what speaks, as a tab's title. Attributes and properties are looked at by Jupyter's own rule.
 */
function untranslated() {
  const places = [
    ['[callee.name=/^(element|drawing)$/]', 3],
    ['[callee.name=/^(button|setText)$/]', 2],
    [
      '[callee.property.name=/^(append|prepend|createTextNode|say|setLabel)$/]',
      1
    ],
    ['[callee.property.name="setTitle"]', 2],
    ['[callee.property.name="add"][callee.object.property.name="_tabs"]', 1]
  ];
  const letters = '=/\\p{L}/u]';
  const words = [
    `Literal[value${letters}`,
    `TemplateLiteral:has(TemplateElement[value.raw${letters})`
  ];
  const either =
    ':matches(BinaryExpression, ConditionalExpression, LogicalExpression)';
  return places.flatMap(([call, at]) =>
    words.flatMap(word =>
      [
        `CallExpression${call} > ${word}:nth-child(${at})`,
        `CallExpression${call} > ${either}:nth-child(${at}) > ${word}`
      ].map(selector => ({
        selector,
        message: 'What a person reads goes through the translator: trans.__(…).'
      }))
    )
  );
}

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
    files: ['labextension/src/**'],
    rules: {
      'jupyter/no-untranslated-string': 'error',
      'no-restricted-syntax': ['error', ...untranslated()]
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
