/** Where the sandbox itself is steered; no path of the service. */
export const controlPrefix = '/sandbox/';
