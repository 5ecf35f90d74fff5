export interface Role {
  readonly id: string;
  readonly name: string;
  readonly built_in: boolean;
  readonly users: number;
  readonly created_at: string;
}

/** Row rules do not apply to users with these roles. */
export const reachesEveryRow = (role: string): boolean => role === 'super_admin' || role === 'admin';
