// Settings: the own account and its sessions, and below them the tokens of integrators.
import { integer, object, queryNumber } from '../../../shared/contracts/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { endSessions, hashSecret, listSessions, type SessionRow } from '../framework/sessions/sessions.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { listTokens, type TokenRow } from '../tokens/queries.ts'
import { form } from '../ui/forms.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import {
  changePassword,
  newPassword,
  password,
  passwordHint,
  requireSamePassword,
  wrongPassword,
} from './accounts.ts'

const TOKENS_A_PAGE = 50

const passwordForm = object({ current: password(), password: newPassword(), repeated: newPassword() })

export const settings = page({
  path: '/settings',
  title: 'Settings',
  section: 'Settings',
  query: object({ page: queryNumber(integer({ min: 1, max: 100_000 })).default(1) }),
  actions: (action) => ({
    'change-password': action(passwordForm, async (call) => {
      const { services, admin, device, viewer, form: sent } = call
      requireSamePassword(sent.password, sent.repeated)
      const account = await call.signIns.check(admin.email, sent.current, device.address)
      if (!account) throw wrongPassword('current')
      const change = {
        id: admin.id,
        from: account.passwordHash,
        to: await call.signIns.hash(sent.password),
        spared: viewer.secret,
      }
      const ended = await changePassword(services.primary, change)
      if (ended === undefined) throw wrongPassword('current')
      services.log.info({ adminId: admin.id, requestId: call.requestId }, 'password changed')
      return {
        redirectTo: call.link('/settings'),
        notice: `Password changed. ${describeEndedSessions(ended)}`,
      }
    }),
    'sign-out-everywhere': action(object({}), async (call) => {
      await endSessions(call.services.primary, call.admin.id)
      call.setSession(undefined)
      return { redirectTo: call.link('/sign-in'), notice: 'You are signed out everywhere.' }
    }),
  }),
  async show(call) {
    const number = call.query.page
    const [sessions, tokens] = await Promise.all([
      listSessions(call.services.primary, call.admin.id),
      listTokens(call.reads, { offset: (number - 1) * TOKENS_A_PAGE, limit: TOKENS_A_PAGE + 1 }),
    ])
    return html`${accountSection(call)}${sessionsSection(call, sessions)}
<section aria-labelledby="integrations"><div class="head"><div><h2 id="integrations">Integrations</h2>
<p class="lead">Tokens let other programs use the <a href="${call.baseUrl}/api/docs">API</a>.</p></div>
<div class="tools"><a class="button primary" href="${call.link('/settings/tokens/new')}">New token</a></div></div>
${table('API tokens', tokenColumns(call), tokens.slice(0, TOKENS_A_PAGE), noTokens)}
${pager(call, { page: number, hasMore: tokens.length > TOKENS_A_PAGE })}</section>`
  },
})

const noTokens = html`<p><strong>No tokens yet.</strong></p>
<p>Create one for each program that uses the API.</p>`

function accountSection(call: Call): Html {
  const secret = (name: string, label: string, autocomplete: string, hint?: string) =>
    ({ name, label, hint, type: 'password', autocomplete, required: true }) as const
  return html`<section class="card" aria-labelledby="account"><h2 id="account">Account</h2>
<p>You are signed in as <strong>${call.admin.email}</strong>.</p>
<details${call.refusedForm?.action === 'change-password' ? html` open` : ''}><summary>Change password</summary>
<div class="narrow">${form(call, { action: 'change-password', submit: 'Change password' }, (fields) => [
    fields.text(secret('current', 'Current password', 'current-password')),
    fields.text(secret('password', 'New password', 'new-password', passwordHint)),
    fields.text(secret('repeated', 'Repeat new password', 'new-password')),
  ])}</div></details></section>`
}

function sessionsSection(call: Call, sessions: SessionRow[]): Html {
  const own = hashSecret(call.viewer.secret)
  const columns: Column<SessionRow>[] = [
    {
      label: 'Browser',
      isHead: true,
      show: (row) =>
        html`${formatBrowser(row.user_agent)}${row.hash.equals(own) && html` <span class="badge good">this browser</span>`}`,
    },
    { label: 'IP address', show: (row) => row.address },
    { label: 'Signed in', show: (row) => showRelativeInstant(row.created_at, call.now) },
    { label: 'Last used', show: (row) => showRelativeInstant(row.last_used_at, call.now) },
  ]
  return html`<section class="card" aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
${table('Sessions', columns, sessions, 'No sessions.')}
${form(call, { action: 'sign-out-everywhere', submit: 'Sign out everywhere', tone: 'quiet' })}</section>`
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
    { label: 'Created by', show: ({ createdBy }) => createdBy },
    { label: 'Expires', show: ({ expiresAt }) => when(expiresAt, 'never') },
    { label: 'Last used', show: ({ lastUsedAt }) => when(lastUsedAt, 'never') },
    { label: 'Requests', isNumber: true, show: ({ requests }) => requests.toLocaleString('en') },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name, state }) =>
        state === 'valid' &&
        html`<a href="${call.link(`/settings/tokens/${id}/revoke`)}" aria-label="Revoke ${name}">Revoke</a>`,
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
