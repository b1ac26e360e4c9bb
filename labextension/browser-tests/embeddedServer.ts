/**
 * The small real vLLM of `tir serve --embedded`, for a test alone.
 */
import type { IServed } from './served';
import { serve } from './served';

/** Starts it, which takes half a minute to two, and rejects with its words where it does not. */
export async function startEmbedded(): Promise<IServed> {
  return serve(async () => Promise.resolve(['--embedded']));
}
