/**
 * English as written, for tests.
 */
export { plainTranslation } from '../src/widget/plainTranslation';
