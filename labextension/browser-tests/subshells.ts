/**
 * Whether a page of JupyterLab has its kernel handle the messages of comms in subshells.
 */
import type { Kernel } from '@jupyterlab/services';
import type { Page } from 'playwright-core';

/** What of JupyterLab's application is asked in its page. */
interface IExposed {
  readonly jupyterapp: {
    readonly shell: {
      readonly currentWidget: {
        readonly sessionContext: {
          readonly session: { readonly kernel: Kernel.IKernelConnection };
        };
      };
    };
  };
}

/** How many subshells the kernel has once the page, whose application is exposed, has a new comm. */
export async function subshellsOfComm(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { jupyterapp } = window as unknown as IExposed;
    const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
    await kernel.info;
    const comm = kernel.createComm('of a test');
    // Where there is to be one, it is asked for in a microtask, and before what comes next.
    await new Promise(resolve => setTimeout(resolve));
    const { content } = await kernel.requestListSubshell({}).done;
    comm.dispose();
    return content.subshell_id.length;
  });
}
