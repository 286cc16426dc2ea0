// Settings: the own account and its sessions, and below them the tokens of integrators.

import { formatRole, includesRole } from '../../../shared/contracts/administrators/roles.ts'
import { object } from '../../../shared/contracts/fields.ts'
import { attributes, type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { hashSecret } from '../framework/sessions/secrets.ts'
import { endSessions, listSessions, type SessionRow } from '../framework/sessions/sessions.ts'
import { findIsLinked } from '../framework/single-sign-on/identities.ts'
import { requirePasswords } from '../framework/single-sign-on/local-sign-in.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { listTokens, type TokenRow } from '../tokens/queries.ts'
import { card } from '../ui/cards.ts'
import { form } from '../ui/forms.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { changePassword } from './accounts.ts'
import {
  newPassword,
  newPasswordFields,
  password,
  passwordField,
  requireSamePassword,
  wrongPassword,
} from './fields.ts'

const TOKENS_PER_PAGE = 50

const passwordForm = object({ current: password(), password: newPassword(), repeated: newPassword() })

export const settings = page({
  path: '/settings',
  title: 'Settings',
  section: 'Settings',
  readers: 'reader',
  writers: 'reader',
  query: object({ page: pageNumber() }),
  actions: (action) => ({
    'change-password': action(passwordForm, async (call) => {
      const { services, device, viewer, form: sent } = call
      const admin = call.requireAdmin()
      requirePasswords(call)
      requireSamePassword(sent.password, sent.repeated)
      const account = await call.signIns.check(admin.email, sent.current, device)
      if (!account) throw wrongPassword('current')
      const change = {
        id: admin.id,
        from: account.passwordHash,
        to: await call.signIns.hash(sent.password),
        spared: viewer.secret,
      }
      const ended = await changePassword(services.primary, change)
      if (ended === undefined) throw wrongPassword('current')
      call.rememberBrowser({ id: admin.id, passwordHash: change.to })
      services.log.info({ adminId: admin.id, requestId: call.requestId }, 'password changed')
      return {
        redirectTo: call.link('/settings'),
        notice: `Password changed. ${describeEndedSessions(ended)}`,
      }
    }),
    'sign-out-everywhere': action(object({}), async (call) => {
      await endSessions(call.services.primary, call.requireAdmin().id)
      call.setSession(undefined)
      return { redirectTo: call.link('/sign-in'), notice: 'You are signed out everywhere.' }
    }),
  }),
  async show(call) {
    const number = call.query.page
    const { primary, config } = call.services
    const { id } = call.requireAdmin()
    const [sessions, tokens, linked] = await Promise.all([
      listSessions(primary, id),
      listTokens(call.reads, sliceOf(number, TOKENS_PER_PAGE)),
      call.provider ? findIsLinked(primary, call.provider.issuer, id) : false,
    ])
    const own = html`${accountSection(call, config.signIn.isLocal && !linked)}${sessionsSection(call, sessions)}`
    if (!includesRole(call.requireAdmin().role, 'administrator')) return own
    return html`${own}
<section aria-labelledby="integrations"><div class="head"><div><h2 id="integrations">Integrations</h2>
<p class="lead">Tokens let other programs use the <a href="${call.baseUrl}/api/docs">API</a>. Webhooks tell them what changes.</p></div>
<div class="tools"><a class="button quiet" href="${call.link('/settings/webhooks')}">Webhooks</a>
<a class="button primary" href="${call.link('/settings/tokens/new')}">New token</a></div></div>
${pagedTable(call, {
  caption: 'API tokens',
  columns: tokenColumns(call),
  found: tokens,
  rowsPerPage: TOKENS_PER_PAGE,
  page: number,
  empty: noTokens,
})}</section>`
  },
})

const noTokens = html`<p><strong>No tokens yet.</strong></p>
<p>Create one for each program that uses the API.</p>`

function accountSection(call: Call, hasPassword: boolean): Html {
  const isRefused = call.refusedForm?.action === 'change-password'
  const change = form(call, { action: 'change-password', submit: 'Change password' }, (fields) => [
    passwordField(fields, 'current', 'Current password'),
    newPasswordFields(fields, 'New password'),
  ])
  return card(
    'Account',
    html`<p>You are signed in as <strong>${call.requireAdmin().email}</strong>, with the role ${formatRole(call.requireAdmin().role)}.
<a href="${call.link('/settings/administrators')}">Administrators and their roles</a></p>
${
  hasPassword
    ? html`<details${attributes({ open: isRefused })}><summary>Change password</summary><div class="narrow">${change}</div></details>`
    : html`<p>You sign in with ${call.provider?.label}, which also says what your role is.</p>`
}`,
  )
}

function sessionsSection(call: Call, sessions: SessionRow[]): Html {
  const own = hashSecret(call.viewer.secret)
  const columns: Column<SessionRow>[] = [
    {
      label: 'Browser',
      isHead: true,
      show: (row) =>
        html`${formatBrowser(row.userAgent)}${row.hash.equals(own) && html` <span class="badge good">this browser</span>`}`,
    },
    { label: 'IP address', show: (row) => row.address },
    { label: 'Signed in', show: (row) => showRelativeInstant(row.createdAt, call.now) },
    { label: 'Last used', show: (row) => showRelativeInstant(row.lastUsedAt, call.now) },
  ]
  return card(
    'Sessions',
    html`${table('Sessions', columns, sessions, 'No sessions.')}
${form(call, { action: 'sign-out-everywhere', submit: 'Sign out everywhere', tone: 'quiet' })}`,
  )
}

function tokenColumns(call: Call): Column<TokenRow>[] {
  const when = (instant: string | null, absent: string) =>
    instant ? showRelativeInstant(instant, call.now) : absent
  return [
    {
      label: 'Name',
      isHead: true,
      show: ({ name, state }) =>
        html`${name}${state !== 'valid' && html` <span class="badge bad">${state}</span>`}`,
    },
    {
      label: 'Abilities',
      show: ({ abilities }) => abilities.map((each) => html`<span class="badge">${each}</span> `),
    },
    {
      label: 'Limited to',
      show: ({ buildings, addresses }) => {
        if (buildings?.length === 0) return 'no building: they are all deleted'
        return [...(buildings ?? []), ...(addresses ?? [])].join(', ')
      },
    },
    { label: 'Created by', show: ({ createdBy }) => createdBy },
    { label: 'Expires', show: ({ expiresAt }) => when(expiresAt, 'never') },
    { label: 'Last used', show: ({ lastUsedAt }) => when(lastUsedAt, 'never') },
    { label: 'Requests', isNumber: true, show: ({ requests }) => formatNumber(requests) },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name, state }) =>
        state === 'valid' &&
        html`<a href="${call.link(`/settings/tokens/${id}/rotate`)}" aria-label="New secret for ${name}">New secret</a>
<a href="${call.link(`/settings/tokens/${id}/revoke`)}" aria-label="Revoke ${name}">Revoke</a>`,
    },
  ]
}

function describeEndedSessions(sessions: number): string {
  if (sessions === 0) return 'No other sessions were open.'
  return `${sessions === 1 ? 'One other session was' : `${sessions} other sessions were`} signed out.`
}

// Enough to tell one's own devices apart; the rest of the text is noise.
function formatBrowser(userAgent: string | null): string {
  const text = userAgent ?? ''
  const browser = /Edg\/|OPR\/|Firefox\/|Chrome\/|Safari\//.exec(text)?.[0].slice(0, -1)
  const system = /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(text)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Macintosh: 'Mac' }
  const words = [browser, system].filter((each) => each !== undefined).map((each) => names[each] ?? each)
  return words.join(' on ') || text.slice(0, 60) || 'Unknown'
}
