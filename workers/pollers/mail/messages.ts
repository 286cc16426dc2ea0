// Composes the texts of mails. The texts are short and plain, except for the monthly report.
import { formatRole, isRole } from '../../../shared/administrators/roles.ts'
import type { Mail } from '../../../shared/mail/smtp.ts'
import { PERSON_MAILS, type PersonMail, SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import type { AnswersInMail } from './answer-mails.ts'
import type { BookingInMail } from './booking-mails.ts'
import type { Offer, RequestInMail } from './hold-mails.ts'
import type { MeetingInMail } from './invitations.ts'
import type { LostRoom } from './lost-rooms.ts'
import { type MonthlyReport, writeMonthlyReport } from './monthly-report.ts'
import type { Reminder } from './reminders.ts'
import { toLanguage } from './words.ts'
import { writeAnswersMail } from './write-answer-mail.ts'
import { writeBookingMail } from './write-booking-mail.ts'
import { writeMeetingMail } from './write-meeting-mail.ts'
import { writeApprovalRequest, writeOffer, writeReminder, writeRequestOutcome } from './write-person-mail.ts'

type MailKind = 'invitation' | 'password' | 'webhook-disabled' | 'arrival' | 'sign-in'

export type DueMail = {
  id: number
  /** The kind of mail. Not used for a mail with a `report`, which has its own text. */
  kind: MailKind | PersonMail
  message: string
  /** How many times a process has taken the mail to send it. */
  attempts: number
  /** How many times the mail server has refused the mail. */
  tries: number
  /** The administrator who gets the mail. Null if the recipient is the host of a visitor. */
  adminId: number | null
  email: string
  /** The person who gets the mail as a user with their own pages. Null for any other recipient. */
  userId: number | null
  /** The invitation that the mail belongs to. In a series, this is the person's first one. */
  invitationId: number | null
  personLanguage: string
  role: string | null
  /** When the link in the mail expires. Null if there is no link. */
  linkUntil: string | null
  /** The arrival of a visitor: who arrived, when (in the building's local time), in which building, and for
   * which event, if any. */
  arrival: { visitor: string; event: string | null; at: string | null; building: string | null } | null
  webhook: { id: number; url: string; description: string; reason: string } | null
  report: MonthlyReport | undefined
  /** The content of the mail: the person's bookings, or what they can book. */
  about:
    | { bookings: BookingInMail[]; lostRooms: LostRoom[] }
    | { reminder: Reminder }
    | { offer: Offer }
    | { request: RequestInMail; secret?: string }
    | { meeting: MeetingInMail; lostRooms: LostRoom[] }
    | { answers: AnswersInMail }
    | undefined
  /** The author of the changes to the bookings, and the database that the bookings belong to. */
  actor: string | null
  database: string
  /** The secret of the link in the mail. */
  secret: string | undefined
}

type ComposeSettings = Pick<MailSettings, 'publicUrl' | 'from' | 'answers'>

export function composeMail(due: DueMail, settings: ComposeSettings): Mail {
  const { publicUrl } = settings
  const { email: to, message, kind, report, about } = due
  if (about) return { to, message, ...writeContent(due, about, settings) }
  if (report) return { to, message, ...writeMonthlyReport(report, publicUrl) }
  if (isPersonMail(kind)) throw new Error(`A mail about nothing: ${due.id}`)
  return { to, message, ...CONTENT_WRITERS[kind](due, publicUrl) }
}

const isPersonMail = (kind: DueMail['kind']): kind is PersonMail =>
  (PERSON_MAILS as readonly string[]).includes(kind)

function writeContent(due: DueMail, about: NonNullable<DueMail['about']>, settings: ComposeSettings) {
  const reader = { language: toLanguage(due.personLanguage), publicUrl: settings.publicUrl }
  if ('bookings' in about) return writeBookingMail({ ...due, ...about }, reader, settings.from)
  if ('offer' in about) return writeOffer(about.offer, reader)
  if ('reminder' in about) return writeReminder(about.reminder, reader)
  if ('answers' in about) return writeAnswersMail(about.answers, reader)
  if ('meeting' in about)
    return writeMeetingMail({ ...due, ...about }, reader, {
      from: settings.from,
      answers: settings.answers?.address,
    })
  const { request, secret } = about
  return secret === undefined
    ? writeRequestOutcome(request, reader)
    : writeApprovalRequest(request, secret, reader)
}

type MailContent = { subject: string; text: string }

const CONTENT_WRITERS: Record<MailKind, (due: DueMail, publicUrl: string) => MailContent> = {
  invitation: (due, publicUrl) => ({
    subject: 'You are invited to Berth',
    text: joinParagraphs(
      `You are invited to the Berth dashboard at ${publicUrl}/dashboard${formatRoleSuffix(due)}.`,
      `Open this link to choose your password. It works once, until ${formatLinkExpiry(due)}:`,
      getPasswordLink(due, publicUrl),
      'If you did not expect this e-mail, you can ignore it.',
    ),
  }),
  password: (due, publicUrl) => ({
    subject: 'Choose a new password for Berth',
    text: joinParagraphs(
      `An owner of the Berth dashboard at ${publicUrl}/dashboard has sent you a password reset link.`,
      `The link works once, until ${formatLinkExpiry(due)}. Your current password works until you use the link:`,
      getPasswordLink(due, publicUrl),
      'If you did not ask for this link, you can ignore this e-mail.',
    ),
  }),
  'webhook-disabled': ({ webhook }, publicUrl) => ({
    subject: 'Berth has switched off a webhook',
    text: joinParagraphs(
      `Berth has switched off the webhook ${formatWebhookName(webhook)}. ${webhook?.reason ?? ''}`.trim(),
      'It receives no changes until somebody switches it on again:',
      `${publicUrl}/dashboard/integrations/webhooks/${webhook?.id}`,
    ),
  }),
  'sign-in': ({ secret, personLanguage }, publicUrl) => {
    const { subject, text } = SIGN_IN_TEXTS[personLanguage === 'de' ? 'de' : 'en']
    return {
      subject,
      text: joinParagraphs(text.open, `${publicUrl}/my/sign-in/link?token=${secret}`, text.ignore),
    }
  },
  arrival: ({ arrival }, publicUrl) => ({
    subject: 'Your visitor has arrived',
    text: joinParagraphs(
      `${arrival?.visitor} has arrived${arrival?.at ? ` at ${arrival.at}, ${arrival.building}` : ''}.`,
      ...(arrival?.event ? [`Meeting: ${arrival.event}`] : []),
      `The front desk sent you this e-mail from the Berth dashboard at ${publicUrl}/dashboard.`,
    ),
  }),
}

const SIGN_IN_TEXTS = {
  en: {
    subject: 'Sign in to Berth',
    text: {
      open: `Open this link to sign in. It works once, within ${SIGN_IN_LINK_MINUTES} minutes:`,
      ignore:
        'If you did not ask for this link, you can ignore this e-mail. Nobody can sign in without the link.',
    },
  },
  de: {
    subject: 'Anmelden bei Berth',
    text: {
      open: `Öffnen Sie diesen Link, um sich anzumelden. Er gilt einmal, ${SIGN_IN_LINK_MINUTES} Minuten lang:`,
      ignore:
        'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link kann sich niemand anmelden.',
    },
  },
}

const joinParagraphs = (...paragraphs: string[]) => `${paragraphs.join('\n\n')}\n`

const getPasswordLink = ({ secret }: DueMail, publicUrl: string) =>
  `${publicUrl}/dashboard/password?token=${secret}`

const formatRoleSuffix = ({ role }: DueMail) =>
  role !== null && isRole(role) ? ` as ${formatRole(role).toLowerCase()}` : ''

// The path of a webhook's URL may contain a secret, so the mail shows only the host.
const formatWebhookName = (webhook: DueMail['webhook']) =>
  webhook ? webhook.description || new URL(webhook.url).host : ''

// Formats the expiry of a link in UTC, because the reader's time zone is unknown.
function formatLinkExpiry({ linkUntil }: DueMail): string {
  const instant = new Date(linkUntil ?? 0)
  const day = instant.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return `${day}, ${instant.toISOString().slice(11, 16)} UTC`
}
