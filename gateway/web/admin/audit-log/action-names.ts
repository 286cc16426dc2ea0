// The names of all actions of the audit log, by resource. The compiler asks for one for each.
import type { AuditResource, VerbOf } from '../../../../shared/audit/audit-actions.ts'
import { currentLocale, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Option } from '../../pages/ui/fields.ts'

type Group<Of extends AuditResource> = { name: Sentence; actions: Record<VerbOf<Of>, Sentence> }

const GROUPS: { [Of in AuditResource]: Group<Of> } = {
  admins: {
    name: sentence`Administrators`,
    actions: {
      create: sentence`Created an administrator`,
      'create-link': sentence`Created a link to a new password`,
      disable: sentence`Disabled an administrator`,
      enable: sentence`Enabled an administrator`,
      invite: sentence`Invited an administrator`,
      link: sentence`Linked an administrator to the provider`,
      'reset-password': sentence`Set a new password`,
      'set-report-mail': sentence`Chose the monthly mail`,
      'set-role': sentence`Changed a role`,
    },
  },
  bookables: {
    name: sentence`Desks and rooms`,
    actions: {
      assign: sentence`Assigned a desk`,
      create: sentence`Added a desk or room`,
      delete: sentence`Deleted a desk or room`,
      edit: sentence`Changed a desk or room`,
      import: sentence`Imported desks and rooms`,
      'set-position': sentence`Placed on the floor plan`,
      'set-rules': sentence`Changed rules of a desk or room`,
      unassign: sentence`Ended an assignment`,
      'unassign-all': sentence`Ended all assignments`,
      update: sentence`Changed a desk or room by the API`,
    },
  },
  bookings: {
    name: sentence`Bookings`,
    actions: {
      'check-in': sentence`Checked in to a booking`,
      clear: sentence`Cleared a conflicting booking`,
      create: sentence`Created a booking`,
      delete: sentence`Cancelled a booking`,
      move: sentence`Moved a booking`,
      release: sentence`Released a booking`,
      update: sentence`Changed a booking`,
    },
  },
  booking_requests: {
    name: sentence`Booking requests`,
    actions: {
      approve: sentence`Approved a booking request`,
      create: sentence`Requested a booking`,
      decline: sentence`Declined a booking request`,
      lapse: sentence`Let a booking request lapse`,
      release: sentence`Released a requested time`,
      withdraw: sentence`Withdrew a booking request`,
    },
  },
  buildings: {
    name: sentence`Buildings`,
    actions: {
      create: sentence`Created a building`,
      delete: sentence`Deleted a building`,
      'set-rules': sentence`Changed rules of a building`,
      update: sentence`Changed a building`,
    },
  },
  calendars: {
    name: sentence`Calendar addresses`,
    actions: {
      create: sentence`Created a calendar address`,
      delete: sentence`Revoked a calendar address`,
    },
  },
  desk_codes: {
    name: sentence`QR codes`,
    actions: {
      make: sentence`Made QR codes for a floor`,
      renew: sentence`Renewed the QR code of a desk or room`,
    },
  },
  events: {
    name: sentence`Meetings`,
    actions: {
      cancel: sentence`Cancelled a meeting`,
      'check-in': sentence`Checked in to a meeting`,
      'clear-room': sentence`Removed a room from a meeting`,
      create: sentence`Created a meeting`,
      'move-room': sentence`Moved a meeting to another room`,
      release: sentence`Released a room of a meeting`,
      replace: sentence`Changed a meeting`,
    },
  },
  groups: {
    name: sentence`Groups`,
    actions: {
      create: sentence`Created a group`,
      delete: sentence`Deleted a group`,
      'set-members': sentence`Changed members of a group`,
      update: sentence`Changed a group`,
    },
  },
  locations: {
    name: sentence`Floors`,
    actions: {
      create: sentence`Added a floor`,
      delete: sentence`Deleted a floor`,
      'set-floor-plan': sentence`Changed a floor plan`,
      'set-rules': sentence`Changed rules of a floor`,
      update: sentence`Changed a floor`,
    },
  },
  people: {
    name: sentence`The people’s own pages`,
    actions: {
      choose: sentence`Chose who sees them and which mails they get`,
      'create-sign-in-link': sentence`Created a link to sign in`,
    },
  },
  screens: {
    name: sentence`Screens`,
    actions: {
      create: sentence`Set up a screen`,
      'renew-address': sentence`Gave a screen a new address`,
      revoke: sentence`Switched off a screen`,
      update: sentence`Changed a screen`,
    },
  },
  series: {
    name: sentence`Series of bookings`,
    actions: {
      create: sentence`Created a series`,
      delete: sentence`Ended a series`,
    },
  },
  tokens: {
    name: sentence`API tokens`,
    actions: {
      create: sentence`Created a token`,
      revoke: sentence`Revoked a token`,
      rotate: sentence`Created a new secret for a token`,
    },
  },
  users: {
    name: sentence`People`,
    actions: {
      create: sentence`Added a person`,
      deactivate: sentence`Deactivated a person`,
      edit: sentence`Changed a person`,
      erase: sentence`Erased a person`,
      import: sentence`Imported people`,
      restore: sentence`Restored a person`,
    },
  },
  visitors: {
    name: sentence`Visitors`,
    actions: {
      arrive: sentence`Recorded an arrival`,
      'tell-host': sentence`Told a host`,
      'undo-arrival': sentence`Removed an arrival`,
      'walk-in': sentence`Recorded a walk-in`,
    },
  },
  waits: {
    name: sentence`Waitlist`,
    actions: {
      accept: sentence`Accepted an offer of the waitlist`,
      cancel: sentence`Left the waitlist`,
      create: sentence`Joined the waitlist`,
      decline: sentence`Declined an offer of the waitlist`,
      end: sentence`Had a place, and left the waitlist`,
      miss: sentence`Let an offer of the waitlist lapse`,
      offer: sentence`Offered a place to the waitlist`,
      release: sentence`Withdrew an offer of the waitlist`,
    },
  },
  webhooks: {
    name: sentence`Webhooks`,
    actions: {
      create: sentence`Created a webhook`,
      delete: sentence`Deleted a webhook`,
      disable: sentence`Switched off a webhook`,
      'rotate-secret': sentence`Created a new secret for a webhook`,
      'send-again': sentence`Resent a delivery`,
      'send-failed': sentence`Resent failed deliveries`,
      test: sentence`Sent a test to a webhook`,
      update: sentence`Changed a webhook`,
    },
  },
}

const NAMES = new Map<string, Sentence>(
  Object.entries(GROUPS).flatMap(([resource, { actions }]) =>
    Object.entries(actions).map(([verb, name]) => [`${resource}.${verb}`, name] as const),
  ),
)

/** The code of an action that another release has written. */
export function nameAction(action: string): string {
  const name = NAMES.get(action)
  return name ? translate(name) : action
}

/** Those that occur in the log, below “anything” of their resource. Another that is chosen can still come from a link. */
export function actionOptions(known: string[], chosen: string | undefined): Option[] {
  const wanted = chosen === undefined || known.some((action) => matchesAction(action, chosen)) ? [] : [chosen]
  const actions = [...known, ...wanted]
  const resources = [...new Set(actions.map((action) => action.split('.')[0] ?? ''))]
  return resources
    .map((resource) => ({ resource, group: nameResource(resource) }))
    .sort((one, other) => one.group.localeCompare(other.group, currentLocale()))
    .flatMap(({ resource, group }) => [
      { group, value: resource, label: t`${group}: anything` },
      ...actions
        .filter((action) => action.startsWith(`${resource}.`))
        .map((value) => ({ group, value, label: nameAction(value) })),
    ])
}

/** A resource matches all its actions. */
export const matchesAction = (action: string, what: string): boolean =>
  action === what || action.startsWith(`${what}.`)

const nameResource = (resource: string) =>
  Object.hasOwn(GROUPS, resource) ? translate(GROUPS[resource as AuditResource].name) : resource
