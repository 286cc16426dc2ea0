// Administrators as owners see them; those who can sign in come first.
import type pg from 'pg'
import type { Role } from '../../../shared/administrators/roles.ts'
import { message } from '../../../shared/messages/message.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { isLinked } from '../kit/sessions/identities.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export const missingAdministrator = message`This administrator does not exist.`

export type AdministratorMail = {
  /** Null before the first attempt. */
  error: string | null
  sentAt: string | null
  /** The time of the next attempt; null if there will be none. */
  nextAt: string | null
}

export type AdministratorRow = {
  id: number
  email: string
  role: Role
  createdAt: string
  isDisabled: boolean
  /** They sign in through the provider, which decides their role. */
  isLinked: boolean
  /** When the link that was sent to them expires. */
  linkUntil: string | null
  lastUsedAt: string | null
  /** The last mail to them in the past 30 days. */
  mail: AdministratorMail | null
}

type AdministratorOrder = 'email' | 'role' | 'added'

// Disabled administrators come last in every order.
const ORDERS: Record<AdministratorOrder, string> = {
  email: 'lower(admins.email)',
  role: 'admins.role',
  added: 'admins.created_at',
}
export const ADMINISTRATOR_ORDERS = Object.keys(ORDERS) as AdministratorOrder[]

const COLUMNS = `
  admins.id, admins.email, admins.role, ${timestampText('admins.created_at')} AS "createdAt",
    admins.disabled_at IS NOT NULL AS "isDisabled", ${isLinked('$1')} AS "isLinked",
    (SELECT ${timestampText('max(expires_at)')} FROM admin_links
     WHERE admin_id = admins.id AND expires_at > now()) AS "linkUntil",
    (SELECT ${timestampText('max(last_used_at)')} FROM sessions WHERE admin_id = admins.id) AS "lastUsedAt",
    (SELECT json_build_object('error', error, 'sentAt', ${timestampText('sent_at')}, 'nextAt', ${timestampText('next_at')})
     FROM mails WHERE admin_id = admins.id ORDER BY id DESC LIMIT 1) AS mail`

export async function listAdministrators(
  reads: pg.Pool,
  issuer: string | undefined,
  { offset, limit }: Slice,
  order: Order<AdministratorOrder>,
): Promise<Listed<AdministratorRow>> {
  const { rows } = await reads.query<AdministratorRow & { total: number }>(
    `SELECT ${COLUMNS}, ${totalSql('admins')} AS total FROM admins
     ORDER BY admins.disabled_at IS NOT NULL, ${orderSql(ORDERS, order, 'admins.id')}
     LIMIT $2 OFFSET $3`,
    [issuer ?? null, limit, offset],
  )
  return toListed(rows)
}

export async function findAdministrator(
  reads: pg.Pool,
  issuer: string | undefined,
  id: number,
): Promise<AdministratorRow | undefined> {
  const { rows } = await reads.query<AdministratorRow>(`SELECT ${COLUMNS} FROM admins WHERE admins.id = $2`, [
    issuer ?? null,
    id,
  ])
  return rows[0]
}
