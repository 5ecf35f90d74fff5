export interface Role {
  readonly id: string;
  readonly name: string;
  readonly built_in: boolean;
  readonly users: number;
  readonly created_at: string;
}

/** Roles whose holders row rules do not narrow. */
export const reachesEveryRow = (role: string): boolean => role === 'super_admin' || role === 'admin';
