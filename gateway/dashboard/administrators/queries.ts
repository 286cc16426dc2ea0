// Administrators as owners see them, those who can sign in first.
import type pg from 'pg'
import type { Role } from '../../../shared/contracts/administrators/roles.ts'
import { timestampText } from '../../../shared/shapes/json.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

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

export type AdministratorOrder = 'email' | 'role' | 'added'

// Those who are disabled come last, whatever they are sorted by.
const ORDERS: Record<AdministratorOrder, string> = {
  email: 'lower(admins.email)',
  role: 'admins.role',
  added: 'admins.created_at',
}
export const ADMINISTRATOR_ORDERS = Object.keys(ORDERS) as AdministratorOrder[]

const COLUMNS = `
  admins.id, admins.email, admins.role, ${timestampText('admins.created_at')} AS "createdAt",
    admins.disabled_at IS NOT NULL AS "isDisabled",
    (SELECT ${timestampText('max(expires_at)')} FROM admin_links
     WHERE admin_id = admins.id AND expires_at > now()) AS "linkUntil",
    (SELECT ${timestampText('max(last_used_at)')} FROM sessions WHERE admin_id = admins.id) AS "lastUsedAt"`

export async function listAdministrators(
  reads: pg.Pool,
  { offset, limit }: Slice,
  order: Order<AdministratorOrder>,
): Promise<Listed<AdministratorRow>> {
  const { rows } = await reads.query<AdministratorRow & { total: number }>(
    `SELECT ${COLUMNS}, ${totalSql('admins')} AS total FROM admins
     ORDER BY admins.disabled_at IS NOT NULL, ${orderSql(ORDERS, order, 'admins.id')}
     LIMIT $1 OFFSET $2`,
    [limit, offset],
  )
  return toListed(rows)
}

export async function findAdministrator(reads: pg.Pool, id: number): Promise<AdministratorRow | undefined> {
  const { rows } = await reads.query<AdministratorRow>(`SELECT ${COLUMNS} FROM admins WHERE admins.id = $1`, [
    id,
  ])
  return rows[0]
}
