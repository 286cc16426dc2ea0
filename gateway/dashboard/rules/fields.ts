// The fields of the form that sets a place's rules.
import { RULE_NAMES } from '../../../shared/rules/rules.ts'
import type { Content } from '../../http/html.ts'
import { t, translate } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { formatClosed } from './closed-lines.ts'
import type { RulesOfPlace } from './queries.ts'
import { formatOpeningHours, LABELS } from './words.ts'

/** Locations and bookables can lift the rules of the places above them. */
export function showRuleFields(
  fields: Fields,
  { rules: { own }, zone }: RulesOfPlace,
  groupNames: Map<number, string>,
  hasPlacesAbove: boolean,
): Content {
  const number = (
    name: 'days_ahead_max' | 'minutes_min' | 'minutes_max' | 'bookings_ahead_max',
    hint: string,
  ) => fields.text({ name, label: translate(LABELS[name]), hint, type: 'number', value: own[name] })
  return [
    fields.area({
      name: 'opening_hours',
      label: translate(LABELS.opening_hours),
      hint: t`One per line: Mon-Fri 07:00-20:00. Days without a line are closed.`,
      value: own.opening_hours ? formatOpeningHours(own.opening_hours) : '',
    }),
    number('days_ahead_max', t`How many days ahead a booking may end; 0 is today.`),
    number('minutes_min', t`In minutes.`),
    number('minutes_max', t`In minutes.`),
    number('bookings_ahead_max', t`How many current and upcoming bookings of one type a person may have.`),
    fields.select({
      name: 'one_at_a_time',
      label: translate(LABELS.one_at_a_time),
      hint: t`A person can have only one desk at a time. Guest bookings do not count.`,
      options: [
        { value: '', label: t`Not set here` },
        { value: 'yes', label: t`Yes` },
        { value: 'no', label: t`No` },
      ],
      value: own.one_at_a_time == null ? '' : own.one_at_a_time ? 'yes' : 'no',
    }),
    fields.area({
      name: 'groups',
      label: translate(LABELS.group_ids),
      hint: t`Only their members may book. One name a line.`,
      value: (own.group_ids ?? []).map((id) => groupNames.get(id) ?? '').join('\n'),
    }),
    checkInFields(fields, own.check_in),
    fields.area({
      name: 'closed',
      label: t`Closed`,
      hint: t`One per line: 2026-12-24 to 2026-12-27 Christmas, with the last day, or 2026-11-27 Holiday. A time may follow a day: 2026-12-24 12:00. Everything inside this place is closed too.`,
      value: formatClosed(own.closed ?? [], zone),
    }),
    hasPlacesAbove &&
      fields.checkboxes({
        name: 'lifted',
        label: t`Ignore these rules from the place above`,
        options: RULE_NAMES.map((name) => ({ value: name, label: translate(LABELS[name]) })),
        values: RULE_NAMES.filter((name) => own[name] === null),
      }),
  ]
}

type CheckIn = RulesOfPlace['rules']['own']['check_in']

function checkInFields(fields: Fields, present: CheckIn): Content {
  return [
    fields.text({
      name: 'opens_minutes_before',
      label: t`Check-in opens`,
      hint: t`Minutes before the start.`,
      type: 'number',
      value: present?.opens_minutes_before,
    }),
    fields.text({
      name: 'release_minutes_after',
      label: t`Released`,
      hint: t`Minutes after the start. Without a check-in by then, the rest of the booking is released.`,
      type: 'number',
      value: present?.release_minutes_after,
    }),
    fields.checkbox({
      name: 'events',
      label: t`Check-in for rooms of events too`,
      checked: present?.events ?? false,
    }),
  ]
}
