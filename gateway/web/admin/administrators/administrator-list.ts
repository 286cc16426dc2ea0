// Settings: the list of administrators and their roles. Administrators who can sign in come first.
import type { Role } from '../../../../shared/administrators/roles.ts'
import { parseStoredMessage } from '../../../../shared/messages/message.ts'
import { timestampText } from '../../../../shared/schemas/json.ts'
import { type Content, html } from '../../../html/html.ts'
import { findRow, listSlice } from '../../../reads/rows/rows.ts'
import { formatMessage, sentence, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatRole } from '../../pages/page/roles.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { type Column, showLink } from '../../pages/ui/parts.ts'
import { orderSql } from '../../pages/ui/sorting.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { isLinked } from '../../sessions/sessions.ts'

/** The last mail to an administrator within the past 30 days. */
type AdministratorMail = {
  /** The error of the last attempt; null before the first one. */
  error: string | null
  sentAt: string | null
  /** The time of the next attempt; null if there will be no further attempt. */
  nextAt: string | null
}

export type AdministratorRow = {
  id: number
  email: string
  role: Role
  createdAt: string
  isDisabled: boolean
  /** Whether the administrator signs in through the identity provider, which decides their role. */
  isLinked: boolean
  /** When the link that was sent to the administrator expires. */
  linkUntil: string | null
  lastUsedAt: string | null
  mail: AdministratorMail | null
}

// The sort orders. Disabled administrators come last in each of them.
const ADMINISTRATOR_ORDERS = { email: 'lower(admins.email)', role: 'admins.role', added: 'admins.created_at' }

const ADMINISTRATOR_COLUMNS = `
  admins.id, admins.email, admins.role, ${timestampText('admins.created_at')} AS "createdAt",
    admins.disabled_at IS NOT NULL AS "isDisabled", ${isLinked('$1')} AS "isLinked",
    (SELECT ${timestampText('max(expires_at)')} FROM admin_links
     WHERE admin_id = admins.id AND expires_at > now()) AS "linkUntil",
    (SELECT ${timestampText('max(last_used_at)')} FROM sessions WHERE admin_id = admins.id) AS "lastUsedAt",
    (SELECT json_build_object('error', error, 'sentAt', ${timestampText('sent_at')}, 'nextAt', ${timestampText('next_at')})
     FROM mails WHERE admin_id = admins.id ORDER BY id DESC LIMIT 1) AS mail`

export const findAdministrator = ({ services, provider }: Call, id: number) =>
  findRow<AdministratorRow>(
    services.primary,
    `SELECT ${ADMINISTRATOR_COLUMNS} FROM admins WHERE admins.id = $2`,
    [provider?.issuer ?? null, id],
  )

/** Returns the name of the identity provider; empty without single sign-on. */
export const findProviderLabel = ({ provider }: Call): string => provider?.label ?? ''

export const administratorsPage = defineListPage({
  path: '/settings/administrators',
  title: sentence`Administrators`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  orders: ADMINISTRATOR_ORDERS,
  usual: 'email',
  find: ({ services, provider }, slice, order) => {
    const orderBy = `admins.disabled_at IS NOT NULL, ${orderSql(ADMINISTRATOR_ORDERS, order, 'admins.id')}`
    const list = {
      columns: ADMINISTRATOR_COLUMNS,
      from: 'admins',
      values: [provider?.issuer ?? null],
      orderBy,
    }
    return listSlice<AdministratorRow>(services.primary, list, slice)
  },
  columns,
  empty: () => t`No administrators.`,
  view(call) {
    const breadcrumbs: [string, string][] = [[t`Settings`, '/settings']]
    if (!call.services.config.signIn.isLocal)
      return {
        breadcrumbs,
        lead: t`Everyone who has signed in with ${findProviderLabel(call)}. Access is also managed there.`,
      }
    return {
      breadcrumbs,
      lead: t`Who may sign in here, and what they may do.`,
      tools: showLink(call.link('/settings/administrators/new'), t`Invite`, { class: 'button primary' }),
    }
  },
})

function columns(call: Call): Column<AdministratorRow>[] {
  return [
    { label: t`E-mail`, sort: 'email', show: (row) => html`${row.email}${showBadges(call, row)}` },
    { label: t`Role`, sort: 'role', show: ({ role }) => formatRole(role) },
    {
      label: t`Added`,
      sort: 'added',
      isShort: true,
      show: ({ createdAt }) => showRelativeInstant(createdAt, call.now),
    },
    {
      label: t`Last seen`,
      isShort: true,
      show: ({ lastUsedAt }) => lastUsedAt && showRelativeInstant(lastUsedAt, call.now),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, email }) =>
        showLink(call.link(`/settings/administrators/${id}`), t`Change`, {
          'aria-label': t`Change ${email}`,
        }),
    },
  ]
}

function showBadges(call: Call, { id, isDisabled, isLinked, linkUntil, mail }: AdministratorRow): Content[] {
  const shown: Array<[isShown: boolean, tone: string, label: string]> = [
    [id === call.requireAdmin().id, ' good', t`you`],
    [isDisabled, ' bad', t`disabled`],
    [isLinked, '', findProviderLabel(call)],
    [linkUntil !== null, ' warn', t`link sent`],
    // Mail that has been sent or is about to be sent has no badge.
    [hasMailFailed(mail) && mail.nextAt === null, ' bad', t`e-mail failed`],
    [hasMailFailed(mail) && mail.nextAt !== null, ' warn', t`e-mail delayed`],
  ]
  return shown.map(([isShown, tone, label]) => isShown && html` <span class="badge${tone}">${label}</span>`)
}

const hasMailFailed = (mail: AdministratorMail | null): mail is AdministratorMail & { error: string } =>
  mail !== null && mail.sentAt === null && mail.error !== null

export function showMail(call: Call, { mail, email }: AdministratorRow): Content {
  if (mail?.sentAt)
    return html`<p>${tHtml`The last e-mail to ${email} was sent ${showRelativeInstant(mail.sentAt, call.now)}.`}</p>`
  if (!hasMailFailed(mail)) return mail && html`<p>${t`An e-mail to ${email} is on its way.`}</p>`
  const next = mail.nextAt === null ? t`Berth will not try again.` : t`Berth will try again.`
  const sentences = [
    t`The last e-mail to ${email} was not sent.`,
    formatMessage(parseStoredMessage(mail.error)),
    next,
  ]
  return showNotice('warn', sentences.join(' '))
}
