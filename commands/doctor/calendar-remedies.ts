// What to do about a provider of room calendars that does not work, in the words of its console.
import type { ProviderFault } from '../../shared/room-calendars/providers/provider.ts'
import type { CalendarProviderName } from '../../shared/room-calendars/room-calendars.ts'

export const CALENDARS_GUIDE = 'docs/calendars.md'

/** What the doctor tries: to list the rooms, for which it first gets a token, and to read a linked calendar. */
export type TriedStep = 'rooms' | 'calendar'

/** `fault` matches the kind of a fault and its message, which has the provider's own codes. */
type Remedy = { fault: RegExp; step?: TriedStep; todo: string }

const CLOCK_REMEDY = 'Let this machine and the machine of hooks follow NTP.'

// The first one that matches counts.
const REMEDIES: Record<CalendarProviderName, Remedy[]> = {
  microsoft: [
    {
      fault: /AADSTS700016|AADSTS700038/,
      todo: 'Entra admin center, App registrations, Berth, Overview: copy “Application (client) ID” to CALENDARS_MICROSOFT_CLIENT_ID, and “Directory (tenant) ID” to CALENDARS_MICROSOFT_TENANT.',
    },
    {
      fault: /AADSTS90002|AADSTS900023|AADSTS50059/,
      todo: 'Entra admin center, App registrations, Berth, Overview: copy “Directory (tenant) ID” to CALENDARS_MICROSOFT_TENANT.',
    },
    {
      fault: /AADSTS7000222/,
      todo: 'The secret has expired. Entra admin center, App registrations, Berth, Certificates & secrets, New client secret: copy its “Value” to CALENDARS_MICROSOFT_CLIENT_SECRET.',
    },
    { fault: /AADSTS700024/, todo: CLOCK_REMEDY },
    {
      fault: /AADSTS700027/,
      todo: 'Entra admin center, App registrations, Berth, Certificates & secrets, Certificates: upload the file of CALENDARS_MICROSOFT_CERTIFICATE_FILE, and check that CALENDARS_MICROSOFT_KEY_FILE is its key.',
    },
    {
      fault: /^credentials_refused/,
      todo: 'Entra admin center, App registrations, Berth, Certificates & secrets: copy the “Value” of a secret, not its “Secret ID”, to CALENDARS_MICROSOFT_CLIENT_SECRET, or upload the certificate.',
    },
    {
      fault: /^forbidden/,
      step: 'rooms',
      todo: 'Entra admin center, App registrations, Berth, API permissions: add the application permission Place.Read.All of Microsoft Graph, then “Grant admin consent”.',
    },
    {
      fault: /^forbidden/,
      todo: 'Exchange Online PowerShell: New-ManagementRoleAssignment with -Role "Application Calendars.ReadWrite" and -CustomResourceScope Rooms. It may take an hour to work. Check it with Test-ServicePrincipalAuthorization.',
    },
    {
      fault: /^not_found/,
      step: 'calendar',
      todo: 'Exchange admin center, Resources: find out whether the room mailbox still exists under this address, and link the room to the right one.',
    },
  ],
  google: [
    {
      fault: /unauthorized_client/,
      todo: 'Admin console, Security, API controls, Domain-wide delegation: add the “Unique ID” of the service account with both scopes, https://www.googleapis.com/auth/calendar and https://www.googleapis.com/auth/admin.directory.resource.calendar.readonly.',
    },
    { fault: /short-lived token|iat|reasonable timeframe/, todo: CLOCK_REMEDY },
    {
      fault: /invalid_grant.*(Invalid email|User ID|Not a valid email)/,
      todo: 'Set CALENDARS_GOOGLE_SUBJECT to the primary e-mail address of a user of your Google Workspace.',
    },
    {
      fault: /^credentials_refused/,
      todo: 'Google Cloud console, IAM & Admin, Service accounts, Keys: “Add key”, JSON. Put the file at the path in CALENDARS_GOOGLE_KEY_FILE. Check that the service account is not disabled.',
    },
    {
      fault: /accessNotConfigured|SERVICE_DISABLED|has not been used in project/,
      step: 'rooms',
      todo: 'Google Cloud console, APIs & Services, Library: enable “Admin SDK API”.',
    },
    {
      fault: /accessNotConfigured|SERVICE_DISABLED|has not been used in project/,
      todo: 'Google Cloud console, APIs & Services, Library: enable “Google Calendar API”.',
    },
    {
      fault: /^forbidden/,
      step: 'rooms',
      todo: 'Admin console, Account, Admin roles: give the user of CALENDARS_GOOGLE_SUBJECT a role with “Buildings and resources”.',
    },
    {
      fault: /^(forbidden|not_found)/,
      todo: 'Google Calendar, “Settings and sharing” of the room: give the user of CALENDARS_GOOGLE_SUBJECT “Make changes to events”.',
    },
  ],
  caldav: [
    {
      fault: /private network/,
      todo: 'Name the address of the server in CALENDARS_ALLOW_PRIVATE.',
    },
    {
      fault: /^credentials_refused/,
      todo: 'Correct CALENDARS_CALDAV_USER and CALENDARS_CALDAV_PASSWORD. Nextcloud wants an app password: Personal settings, Security.',
    },
    {
      fault: /certificate|self-signed/i,
      todo: 'Set NODE_EXTRA_CA_CERTS to the file with the certificate of the authority that signed the certificate of the server.',
    },
    {
      fault: /^(not_found|rejected)/,
      step: 'rooms',
      todo: 'Set CALENDARS_CALDAV_URL to the address at which the server speaks CalDAV, such as https://cloud.example.com/remote.php/dav/.',
    },
    {
      fault: /^(forbidden|not_found)/,
      todo: 'Share the calendar of the room with the user of CALENDARS_CALDAV_USER, with the right to write, or link the room to another calendar.',
    },
  ],
}

const HOSTS: Record<CalendarProviderName, string> = {
  microsoft: 'graph.microsoft.com and login.microsoftonline.com',
  google: 'www.googleapis.com, admin.googleapis.com and oauth2.googleapis.com',
  caldav: 'the host of CALENDARS_CALDAV_URL',
}

export function findRemedy(
  provider: CalendarProviderName,
  { kind, message }: Pick<ProviderFault, 'kind' | 'message'>,
  step: TriedStep,
): string {
  const text = `${kind} ${message}`
  const found = REMEDIES[provider].find((each) => (each.step ?? step) === step && each.fault.test(text))
  if (found) return found.todo
  if (kind === 'unavailable') return `Let the process hooks reach ${HOSTS[provider]} (firewall, DNS, proxy).`
  if (kind === 'throttled') return 'Try again later. Berth waits as long as the provider asks.'
  return `See ${CALENDARS_GUIDE} for the steps.`
}
