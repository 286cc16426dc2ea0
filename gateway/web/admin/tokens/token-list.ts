// Integrations: the list of API tokens, with valid tokens first.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import type { Ability } from '../../../../shared/tokens/token-store.ts'
import { html } from '../../../html/html.ts'
import { findRow, listSlice, requireRow } from '../../../reads/rows/rows.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { orderSql } from '../../pages/ui/sorting.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showIntegrationTabs } from './integration-tabs.ts'

type TokenRow = {
  id: number
  name: string
  abilities: Ability[]
  createdBy: string
  expiresAt: string | null
  lastUsedAt: string | null
  requests: number
  addresses: string[] | null
  /** The names of the existing buildings that the token is limited to; null means all buildings. */
  buildings: string[] | null
  /** The id of the token's owner; null if the token has none. */
  userId: number | null
  person: string | null
  state: 'valid' | 'expired' | 'revoked'
}

// The sort orders. Tokens that no longer work come last in every order.
const TOKEN_ORDERS = {
  created: '"createdAt"',
  name: 'lower(name)',
  creator: 'lower("createdBy")',
  expires: `coalesce("expiresAt", 'infinity')`,
  used: `coalesce("lastUsedAt", '-infinity')`,
  requests: 'requests',
}

const TOKENS_SQL = `
  SELECT id, name, abilities, user_id AS "userId", (SELECT name FROM users WHERE users.id = user_id) AS person, created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt",
    last_used_at AS "lastUsedAt", requests, addresses::text[] AS addresses,
    CASE WHEN building_ids IS NOT NULL THEN ARRAY(
      SELECT name FROM buildings WHERE buildings.id = ANY (building_ids) ORDER BY ${naturalSql('name')}, id) END AS buildings,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
  FROM tokens`

export const findToken = (reads: pg.Pool, id: number) =>
  findRow<TokenRow>(reads, `${TOKENS_SQL} WHERE id = $1`, [id])

export function requireValidToken(reads: pg.Pool, id: number): Promise<TokenRow> {
  const missing = message`This token does not exist or no longer works.`
  return requireRow(
    missing,
    reads,
    `SELECT * FROM (${TOKENS_SQL}) AS listed WHERE id = $1 AND state = 'valid'`,
    [id],
  )
}

export const tokensPage = defineListPage({
  path: '/integrations/tokens',
  title: sentence`API tokens`,
  section: 'Integrations',
  orders: TOKEN_ORDERS,
  usual: '-created',
  find: ({ reads }, slice, order) => {
    const orderBy = `state = 'valid' DESC, ${orderSql(TOKEN_ORDERS, order, 'id')}`
    return listSlice<TokenRow>(reads, { columns: '*', from: `(${TOKENS_SQL}) AS listed`, orderBy }, slice)
  },
  view: (call) => ({
    title: t`Integrations`,
    lead: t`Tokens let other programs use the API.`,
    tools: showLink(call.link('/integrations/tokens/new'), t`New token`, { class: 'button primary' }),
    above: showIntegrationTabs(call, '/integrations/tokens'),
  }),
  columns: createTokenColumns,
  empty: () => showEmptyState(t`No tokens yet.`, t`Create a token for each program that uses the API.`),
})

const STATE_NAMES: Record<Exclude<TokenRow['state'], 'valid'>, Sentence> = {
  expired: sentence`expired`,
  revoked: sentence`revoked`,
}

function createTokenColumns(call: Call): Column<TokenRow>[] {
  const when = (instant: string | null) => (instant ? showRelativeInstant(instant, call.now) : t`never`)
  return [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ name, state }) =>
        html`${name}${state !== 'valid' && html` <span class="badge bad">${translate(STATE_NAMES[state])}</span>`}`,
    },
    {
      label: t`Permissions of the token`,
      show: ({ abilities }) => abilities.map((each) => html`<span class="badge">${each}</span> `),
    },
    {
      label: t`Limited to`,
      show: ({ person, buildings, addresses }) =>
        buildings?.length === 0
          ? t`no building (all were deleted)`
          : [...(person === null ? [] : [person]), ...(buildings ?? []), ...(addresses ?? [])].join(', '),
    },
    { label: t`Created by`, sort: 'creator', isMinor: true, show: ({ createdBy }) => createdBy },
    { label: t`Expires`, sort: 'expires', isShort: true, show: ({ expiresAt }) => when(expiresAt) },
    { label: t`Last used`, sort: 'used', isShort: true, show: ({ lastUsedAt }) => when(lastUsedAt) },
    {
      label: t`Requests`,
      isNumber: true,
      sort: 'requests',
      show: ({ id, name, requests }) =>
        showLinkOrText(call.link(`/integrations/tokens/${id}/requests`), formatNumber(requests), {
          'aria-label': t`${formatNumber(requests)} requests of ${name}`,
        }),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, name, state }) =>
        state === 'valid' &&
        showMoreMenu(
          [
            showLink(call.link(`/integrations/tokens/${id}/rotate`), t`New secret`, {
              'aria-label': t`New secret for ${name}`,
            }),
            showLink(call.link(`/integrations/tokens/${id}/revoke`), t`Revoke`, {
              'aria-label': t`Revoke ${name}`,
              class: 'danger',
            }),
          ],
          name,
        ),
    },
  ]
}
