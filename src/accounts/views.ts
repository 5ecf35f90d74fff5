/** The door to the saved views of lists. */

export { viewCommands } from './views/commands.ts';
export { viewEntity } from './views/entity.ts';
