// Describes an entry of the audit log in a sentence: the action, the names of the things involved, and only the fields
// that changed.
import { type AuditAction, isAuditAction } from '../../../../shared/audit/audit-actions.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t, tHtml, translateNamed } from '../../locales/translate.ts'
import { nameBrokenRule, nameRule } from '../../pages/bookings/rule-words.ts'
import { formatList, showLinkOrText } from '../../pages/ui/parts.ts'
import { findTemplates } from './actions.ts'
import { hasBookable } from './choose-templates.ts'
import { showChanges } from './differences.ts'
import type { AuditEntry } from './queries.ts'
import {
  type AuditArgs,
  type AuditContext,
  type AuditedFields,
  showResource,
  toAuditedFields,
  toList,
} from './things.ts'
import { TEMPLATE_VALUES } from './values.ts'

/** Shows the entry's sentence without its full stop, and without the actor, who is shown next to it. */
export function showSentence(context: AuditContext, entry: AuditEntry): Html {
  const args = { context, entry, before: toAuditedFields(entry.before), after: toAuditedFields(entry.after) }
  const { action } = entry
  if (!isAuditAction(action)) return addChanges(showUnknownAction(args), showAllChanges(args))
  return addUndoneEntry(
    args,
    addOverriddenRules(args, addChanges(fillTemplate(action, args), CHANGES_BY_ACTION[action]?.(args))),
  )
}

function fillTemplate(action: AuditAction, args: AuditArgs): Html {
  for (const template of findTemplates(action, args)) {
    const filled = translateNamed(template, (name) => TEMPLATE_VALUES[name]?.(args))
    if (filled) return filled
  }
  return showUnknownAction(args)
}

// Describes an entry of another release. Only the name of its action is known.
function showUnknownAction(args: AuditArgs): Html {
  const verb = args.entry.action.slice(args.entry.action.indexOf('.') + 1).replaceAll('-', ' ')
  return html`${verb} ${showResource(args)}`
}

/** Shows the action, followed by the changes. */
function addChanges(done: Html, changes: Content): Html {
  return html`${done}${changes && html`: ${changes}`}`
}

const showAllChanges = ({ context, entry }: AuditArgs) => showChanges(context, entry)

// Fields that change only as a consequence of other fields.
const AUTOMATIC_FIELDS = ['check_in_from', 'check_in_until', 'exclusive', 'overridden_rules']

const CHANGES_BY_ACTION: Partial<Record<AuditAction, (args: AuditArgs) => Content>> = {
  'bookables.edit': showBookableChanges,
  'bookables.set-rules': listRules,
  'bookables.update': showBookableChanges,
  'bookings.move': showBookingChanges,
  'bookings.update': showBookingChanges,
  'buildings.set-rules': listRules,
  'buildings.update': showAllChanges,
  'events.replace': showEventChanges,
  'groups.update': showAllChanges,
  'locations.set-rules': listRules,
  'locations.update': showAllChanges,
  'users.edit': showAllChanges,
  'webhooks.update': showAllChanges,
}

// If the status changed too, the template contains the other changes.
function showBookableChanges(args: AuditArgs): Content {
  return args.before['status'] === args.after['status'] && showAllChanges(args)
}

function showBookingChanges({ context, entry, before, after }: AuditArgs): Content {
  if (!hasBookable(before) || !hasBookable(after)) return undefined
  return showChanges(context, entry, ['during', 'bookable_id', ...AUTOMATIC_FIELDS])
}

function showEventChanges(args: AuditArgs): Content {
  const others = showChanges(args.context, args.entry, ['during', 'attendees', ...AUTOMATIC_FIELDS])
  const changes = [others, ...listAttendeeChanges(args)].filter((part) => part !== undefined)
  return changes.length > 0 && changes.map((part, index) => html`${index > 0 && '; '}${part}`)
}

// Lists the attendees who were added or removed. Leaves out attendees who stayed.
function listAttendeeChanges({ before, after, context }: AuditArgs): string[] {
  const [was = [], is = []] = [before, after].map((row) => toList(row['attendees']).map(toAuditedFields))
  const keyOf = (row: AuditedFields) => `${row['user_id']} ${row['email']}`
  const nameOf = (row: AuditedFields) =>
    context.names.find('users', row['user_id'])?.name ?? String(row['email'] ?? t`somebody`)
  const namesWithout = (rows: AuditedFields[], others: AuditedFields[]) => {
    const known = new Set(others.map(keyOf))
    return rows.filter((row) => !known.has(keyOf(row))).map(nameOf)
  }
  const [came, went] = [namesWithout(is, was), namesWithout(was, is)]
  return [
    ...(came.length > 0 ? [t`invited: ${formatList(came)}`] : []),
    ...(went.length > 0 ? [t`no longer invited: ${formatList(went)}`] : []),
  ]
}

function listRules({ before, after }: AuditArgs): Content {
  const [was, is] = [toAuditedFields(before['rules']), toAuditedFields(after['rules'])]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const changed = names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  return changed.length > 0 && formatList(changed.map(nameRule))
}

function addUndoneEntry({ context: { call }, entry: { undoes } }: AuditArgs, done: Html): Html {
  if (undoes === null) return done
  return tHtml`${done}, undoing ${showLinkOrText(call.link(`/audit-log/${undoes}`), t`an earlier change`)}`
}

function addOverriddenRules({ after }: AuditArgs, done: Html): Html {
  const rules = toList(after['overridden_rules'])
  if (rules.length === 0) return done
  return tHtml`${done}, overriding a rule (${rules.map((rule) => nameBrokenRule(String(rule))).join(', ')})`
}
