// Administrators as owners see them, those who can sign in first.
import type pg from 'pg'
import type { Role } from '../../../shared/contracts/administrators/roles.ts'
import { timestampText } from '../../../shared/shapes/json.ts'

export const missingAdministrator = 'This administrator does not exist.'

export type AdministratorRow = {
  id: number
  email: string
  role: Role
  createdAt: string
  isDisabled: boolean
  /** When the link that they were sent stops working. */
  linkUntil: string | null
  lastUsedAt: string | null
}

const ADMINISTRATORS = `
  SELECT admins.id, admins.email, admins.role, ${timestampText('admins.created_at')} AS "createdAt",
    admins.disabled_at IS NOT NULL AS "isDisabled",
    (SELECT ${timestampText('max(expires_at)')} FROM admin_links
     WHERE admin_id = admins.id AND expires_at > now()) AS "linkUntil",
    (SELECT ${timestampText('max(last_used_at)')} FROM sessions WHERE admin_id = admins.id) AS "lastUsedAt"
  FROM admins`

export async function listAdministrators(
  reads: pg.Pool,
  { offset, limit }: { offset: number; limit: number },
): Promise<AdministratorRow[]> {
  const { rows } = await reads.query<AdministratorRow>(
    `${ADMINISTRATORS} ORDER BY admins.disabled_at IS NOT NULL, lower(admins.email), admins.id LIMIT $1 OFFSET $2`,
    [limit, offset],
  )
  return rows
}

export async function findAdministrator(reads: pg.Pool, id: number): Promise<AdministratorRow | undefined> {
  const { rows } = await reads.query<AdministratorRow>(`${ADMINISTRATORS} WHERE admins.id = $1`, [id])
  return rows[0]
}
