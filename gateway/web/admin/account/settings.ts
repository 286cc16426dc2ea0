// Settings: the page of the administrator's own account and sessions.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { formatRole, requirePasswords } from '../../pages/page/roles.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { type Column, showCard, showLink, showTable } from '../../pages/ui/parts.ts'
import { formatBrowser } from '../../sessions/format-browser.ts'
import { hashSecret } from '../../sessions/secrets.ts'
import { endSessions, isAdminLinked, listSessions, type SessionRow } from '../../sessions/sessions.ts'
import { changePassword } from './accounts.ts'
import {
  newPasswordForm,
  password,
  requireSamePassword,
  showNewPasswordFields,
  showPasswordField,
} from './fields.ts'

const passwordForm = newPasswordForm.shape({ current: password() })

export const accountSettingsPage = definePage({
  path: '/settings',
  title: sentence`Settings`,
  section: 'Settings',
  readers: 'reader',
  writers: 'reader',
  actions: (action) => ({
    'change-password': action(passwordForm, async (call) => {
      const { services, signIns, form: sent } = call
      const { id, email } = call.requireAdmin()
      requirePasswords(call)
      requireSamePassword(sent)
      const wrong = invalidFields({ current: [message`Wrong password.`] })
      const account = await signIns.check(email, sent.current, call.device)
      if (!account) throw wrong
      const passwordHash = await signIns.hash(sent.password)
      const change = { id, from: account.passwordHash, to: passwordHash, exceptSession: call.viewer.secret }
      const ended = await changePassword(services.primary, change)
      if (ended === undefined) throw wrong
      call.rememberBrowser({ id, passwordHash })
      services.log.info({ adminId: id, requestId: call.requestId }, 'password changed')
      const notice = `${t`Password changed.`} ${describeEndedSessions(ended)}`
      return { redirectTo: call.link('/settings'), notice }
    }),
    'sign-out-everywhere': action(object({}), async (call) => {
      await endSessions(call.services.primary, call.requireAdmin().id)
      call.setSession(undefined)
      return { redirectTo: call.link('/sign-in'), notice: t`You are signed out everywhere.` }
    }),
  }),
  async show(call) {
    const { primary, config } = call.services
    const { id } = call.requireAdmin()
    const [sessions, linked] = await Promise.all([
      listSessions(primary, id),
      call.provider ? isAdminLinked(primary, call.provider.issuer, id) : false,
    ])
    return html`${showAccount(call, config.signIn.isLocal && !linked)}${showSessions(call, sessions)}`
  },
})

function showAccount(call: Call, hasPassword: boolean): Html {
  const isRefused = call.refusedForm?.action === 'change-password'
  const change = form(call, { action: 'change-password', submit: t`Change password` }, (fields) => [
    showPasswordField(fields, 'current', t`Current password`),
    showNewPasswordFields(fields, t`New password`, t`Repeat new password`),
  ])
  const { email, role } = call.requireAdmin()
  return showCard(
    t`Account`,
    html`<p>${tHtml`You are signed in as ${html`<strong>${email}</strong>`}, with the role ${formatRole(role)}.`}
${showLink(call.link('/settings/administrators'), t`Administrators and their roles`)} ${showLink(call.link('/settings/calendars'), t`Calendars of rooms`)}</p>
${
  hasPassword
    ? html`<details${formatAttributes({ open: isRefused })}><summary>${t`Change password`}</summary><div class="narrow">${change}</div></details>`
    : html`<p>${t`You sign in with ${call.provider?.label ?? ''}, which also sets your role.`}</p>`
}`,
    'account',
  )
}

function showSessions(call: Call, sessions: SessionRow[]): Html {
  const own = hashSecret(call.viewer.secret)
  const columns: Column<SessionRow>[] = [
    {
      label: t`Browser`,
      show: (row) =>
        html`${formatBrowser(row.userAgent)}${row.hash.equals(own) && html` <span class="badge good">${t`this browser`}</span>`}`,
    },
    { label: t`IP address`, show: (row) => row.address },
    { label: t`Signed in`, show: (row) => showRelativeInstant(row.createdAt, call.now) },
    { label: t`Last used`, show: (row) => showRelativeInstant(row.lastUsedAt, call.now) },
  ]
  return showCard(
    t`Sessions`,
    html`${showTable(t`Sessions`, columns, sessions, t`No sessions.`)}
${form(call, { action: 'sign-out-everywhere', submit: t`Sign out everywhere`, tone: 'quiet' })}`,
    'sessions',
  )
}

function describeEndedSessions(sessions: number): string {
  if (sessions === 0) return t`No other sessions were open.`
  return plural(sessions, 'One other session was signed out.', '# other sessions were signed out.')
}
