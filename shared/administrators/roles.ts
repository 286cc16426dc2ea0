// The roles of administrators in the dashboard. Each role includes the rights of the roles before it.
export const ROLES = ['reader', 'front-desk', 'administrator', 'owner'] as const
export type Role = (typeof ROLES)[number]

const ROLE_NAMES: Record<Role, string> = {
  reader: 'Reader',
  'front-desk': 'Front desk',
  administrator: 'Administrator',
  owner: 'Owner',
}

export const formatRole = (role: Role): string => ROLE_NAMES[role]

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
