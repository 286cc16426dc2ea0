// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'Rules of {0}': 'Regeln von {0}',
  'This place does not exist, or it has been deleted.': 'Diesen Ort gibt es nicht, oder er wurde gelöscht.',
  'Change rules and check-in': 'Regeln und Check-in ändern',
  'No rules: anything can be booked at any time.': 'Keine Regeln: Alles kann jederzeit gebucht werden.',
  'set for {0}': 'festgelegt für {0}',
  'Times are those of {0}. What is booked already stays.':
    'Alle Zeiten gelten in der Zeitzone {0}. Was schon gebucht ist, bleibt.',
  'What holds here': 'Was hier gilt',
  'Set here': 'Hier festgelegt',
  'Not set here': 'Hier nicht festgelegt',
  'What is left empty is as in the place above.': 'Was leer bleibt, gilt wie eine Ebene höher.',
  'Does not hold here, whatever the place above says':
    'Gilt hier nicht, auch wenn es eine Ebene höher festgelegt ist',
  'Save rules': 'Regeln speichern',
  'Rules saved. They hold for bookings that come after.':
    'Regeln gespeichert. Sie gelten für Buchungen, die ab jetzt gemacht werden.',
  'Override the rules of this place': 'Die Regeln dieses Ortes übergehen',
  'Saves even if a rule is broken. The audit log keeps which one.':
    'Speichert auch, wenn eine Regel verletzt wird. Das Protokoll hält fest, welche.',

  // The rules.
  'Opening hours': 'Öffnungszeiten',
  'A line each: Mon-Fri 07:00-20:00. Days without a line are closed.':
    'Je eine Zeile: Mo-Fr 07:00-20:00. Tage ohne Zeile sind geschlossen.',
  'Days ahead': 'Tage im Voraus',
  'How many days ahead a booking may end; 0 is today.':
    'Wie viele Tage im Voraus eine Buchung enden darf; 0 ist heute.',
  'Shortest booking': 'Kürzeste Buchung',
  'Longest booking': 'Längste Buchung',
  'In minutes.': 'In Minuten.',
  'Bookings per person': 'Buchungen pro Person',
  'How many current and upcoming ones of one type.': 'Wie viele aktuelle und kommende derselben Art.',
  'One at a time': 'Eine zur selben Zeit',
  'Nobody has two desks at the same time. Bookings for guests apart.':
    'Niemand hat zwei Tische zur selben Zeit. Buchungen für Gäste ausgenommen.',
  'Only their members may book. One name a line.': 'Nur ihre Mitglieder dürfen buchen. Ein Name pro Zeile.',
  'A line each: 2026-12-24 to 2026-12-27 Christmas, with the last day, or 2026-11-27 Holiday. A time may follow a day: 2026-12-24 12:00. Whatever lies in this place is closed too.':
    'Je eine Zeile: 2026-12-24 bis 2026-12-27 Weihnachten, einschließlich des letzten Tages, oder 2026-11-27 Feiertag. Auf einen Tag darf eine Uhrzeit folgen: 2026-12-24 12:00. Auch alles, was an diesem Ort liegt, ist dann geschlossen.',
  'Check-in opens': 'Check-in öffnet',
  'Minutes before the start.': 'Minuten vor Beginn.',
  Released: 'Freigegeben',
  'Minutes after the start: who has not checked in by then loses the rest of the time.':
    'Minuten nach Beginn: Wer bis dahin nicht eingecheckt hat, verliert den Rest der Zeit.',
  'Check-in for rooms of events too': 'Check-in auch für Räume von Terminen',
  'The longest booking is shorter than the shortest.': 'Die längste Buchung ist kürzer als die kürzeste.',
  'Check-in needs both: when it opens, and when the rest is released.':
    'Der Check-in braucht beides: wann er öffnet und wann der Rest freigegeben wird.',

  // What they are set to.
  Mon: 'Mo',
  Tue: 'Di',
  Wed: 'Mi',
  Thu: 'Do',
  Fri: 'Fr',
  Sat: 'Sa',
  Sun: 'So',
  to: 'bis',
  'at most {0}': 'höchstens {0}',
  'at most {0} current and upcoming': 'höchstens {0} aktuelle und kommende',
  'group {0}': 'Gruppe {0}',
  'from {0} minutes before to {1} minutes after the start': 'von {0} Min. vor bis {1} Min. nach Beginn',
  'from {0} minutes before to {1} minutes after the start, rooms of events too':
    'von {0} Min. vor bis {1} Min. nach Beginn, auch Räume von Terminen',
  Rules: 'Regeln',
  Closed: 'Geschlossen',
  '# minutes': { one: '# Minute', other: '# Minuten' },
}
