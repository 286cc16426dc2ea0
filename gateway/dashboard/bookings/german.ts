// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'This booking does not exist, or it has been cancelled.':
    'Diese Buchung gibt es nicht, oder sie wurde storniert.',

  // The list.
  'Times are local to each building.': 'Uhrzeiten sind die Ortszeit des jeweiligen Gebäudes.',
  'Open the booking of {0} for {1}': 'Buchung von {0} für {1} öffnen',
  'No bookings match.': 'Keine Buchungen gefunden.',
  'see all of today': 'sehen Sie alle von heute',
  'create a booking': 'erstellen Sie eine Buchung',

  // One booking.
  'Checked in.': 'Eingecheckt.',
  'Booking ended. The rest of its time is free.': 'Buchung beendet. Die restliche Zeit ist wieder frei.',
  'Move to another': 'Umbuchen',
  'Cancel booking': 'Buchung stornieren',
  'This booking is over and can no longer be changed.':
    'Diese Buchung ist vorbei und kann nicht mehr geändert werden.',
  'Change times': 'Zeiten ändern',
  'Time zone: {0}. Currently open-ended.': 'Zeitzone: {0}. Zurzeit unbefristet.',
  'End this booking now': 'Diese Buchung jetzt beenden',
  'The booking ends now, and others can book the rest of its time.':
    'Die Buchung endet jetzt, und andere können die restliche Zeit buchen.',
  'End booking': 'Buchung beenden',
  upcoming: 'bevorstehend',

  // Check-in.
  'Checked in at {0}.': 'Eingecheckt am {0}.',
  'Check-in opens at {0}.': 'Einchecken ist möglich ab {0}.',
  'Who is not there by {0} loses the rest of the time.':
    'Wer bis {0} Uhr nicht da ist, verliert die restliche Zeit.',
  '{0} has not checked in yet.': '{0} hat noch nicht eingecheckt.',

  // Cancelling.
  'Cancel the booking of {0}?': 'Buchung von {0} stornieren?',
  '{0} has it from {1}, open-ended ({2}).': 'Gebucht für {0} ab {1}, unbefristet ({2}).',
  '{0} has it from {1}, to {2} ({3}).': 'Gebucht für {0} vom {1} bis {2} ({3}).',
  'Others can book this time again. The audit log keeps a record.':
    'Andere können diese Zeit wieder buchen. Die Stornierung bleibt im Protokoll.',
  'Booking of {0} for {1} cancelled.': 'Buchung von {0} für {1} storniert.',
  'Booking cancelled.': 'Buchung storniert.',
  'This booking is over and can no longer be cancelled.':
    'Diese Buchung ist vorbei und kann nicht mehr storniert werden.',

  // Moving.
  'Move booking': 'Umbuchen',
  'Move the booking of {0}': 'Buchung von {0} umbuchen',
  'Now {0}, {1}, from {2}, open-ended. The time stays.':
    'Bisher {0}, {1}, ab {2}, unbefristet. Die Zeit bleibt gleich.',
  'Now {0}, {1}, from {2}, to {3}. The time stays.':
    'Bisher {0}, {1}, vom {2} bis {3}. Die Zeit bleibt gleich.',
  'Free for all of that time': 'Die ganze Zeit frei',
  'Nothing that fits is free then. Try another floor, or {0}.':
    'Zu dieser Zeit ist nichts Passendes frei. Versuchen Sie eine andere Etage oder {0}.',
  'change its times': 'ändern Sie die Zeiten',
  'Move to': 'Umbuchen auf',
  'Moved to {0}.': 'Umgebucht auf {0}.',
  'This booking is over and can no longer be moved.':
    'Diese Buchung ist vorbei und kann nicht mehr umgebucht werden.',

  // A new one: for whom, and what is free.
  'Choose a person and what to book first.': 'Wählen Sie zuerst, für wen und was gebucht wird.',
  'Choose another': 'Anderes wählen',
  'Show free': 'Freie anzeigen',
  'window, quiet': 'Fenster, ruhig',
  'Name, location or building': 'Name, Bereich oder Gebäude',
  Matches: 'Treffer',
  'Free at that time': 'Zu dieser Zeit frei',
  'Nothing is free then.': 'Zu dieser Zeit ist nichts frei.',
  'Try another time, floor or type.': 'Versuchen Sie eine andere Zeit, Etage oder Art.',
  'Choose {0}': '{0} auswählen',
  'Book {0}': '{0} buchen',
  'There are more. Choose a floor, a type or tags to narrow them down.':
    'Es gibt weitere. Grenzen Sie sie mit Etage, Art oder Tags ein.',

  // Its form.
  'Create booking': 'Buchung erstellen',
  'Time zone: {0}. Leave empty to start now.': 'Zeitzone: {0}. Leer lassen, um jetzt zu beginnen.',
  'required unless open-ended': 'erforderlich, wenn nicht unbefristet',
  'Open-ended': 'Unbefristet',
  'It lasts until somebody ends it. “Until” is ignored.':
    'Sie dauert, bis jemand sie beendet. „Bis“ wird nicht beachtet.',
  'Enter when it ends, or choose open-ended.': 'Geben Sie das Ende an, oder wählen Sie „Unbefristet“.',
  Vehicle: 'Fahrzeug',
  'No vehicle': 'Kein Fahrzeug',
  'This person has no vehicles. Add one on their page.':
    'Diese Person hat keine Fahrzeuge. Fügen Sie auf ihrer Seite eines hinzu.',
  'Choose one of the vehicles.': 'Wählen Sie eines der Fahrzeuge.',
  'Guest name': 'Name des Gastes',
  'If the booking is for a guest.': 'Wenn die Buchung für einen Gast ist.',
  'Guest e-mail': 'E-Mail des Gastes',
  '{0} is booked for {1}.': '{0} ist für {1} gebucht.',

  // For several days.
  'Several days': 'Mehrere Tage',
  Repeat: 'Wiederholen',
  Once: 'Einmal',
  'Every week': 'Jede Woche',
  'Every two weeks': 'Alle zwei Wochen',
  'required to repeat': 'für Wiederholungen erforderlich',
  'Other days as well': 'Weitere Tage',
  'Instead of repeating, such as 2026-11-25, 2026-11-27.':
    'Statt einer Wiederholung, zum Beispiel 2026-11-25, 2026-11-27.',
  'Leave out days on which it is not free': 'Tage auslassen, die nicht frei sind',
  'Otherwise none is booked if one cannot be.': 'Sonst wird kein Tag gebucht, wenn einer nicht frei ist.',
  'Several days need an end.': 'Für mehrere Tage ist ein Ende nötig.',
  'Rules are overridden for a single booking only.':
    'Regeln können nur bei einer einzelnen Buchung übergangen werden.',
  'Repeat it or list days, not both.': 'Wiederholen Sie die Buchung, oder nennen Sie Tage; nicht beides.',
  'Enter the last day.': 'Geben Sie den letzten Tag an.',
  '“{0}” is not a date, such as 2026-11-25.': '„{0}“ ist kein Datum wie 2026-11-25.',
  'At most {0} days at once.': 'Höchstens {0} Tage auf einmal.',
  '# bookings of {0} created for {1}.': {
    one: '# Buchung von {0} für {1} erstellt.',
    other: '# Buchungen von {0} für {1} erstellt.',
  },
  // Days end with a dot themselves: “Mi., 2. Dez.”
  'Left out: {0}.': 'Ausgelassen: {0}',

  // What is in the way, what is free instead, and what somebody has already.
  'the event “{0}” ({1})': 'Termin „{0}“ ({1})',
  'Free at that time: {0}.': 'Zu dieser Zeit frei: {0}.',
  'Free at that time:': 'Zu dieser Zeit frei:',
  'Nothing of this type is free at that time in this building.':
    'In diesem Gebäude ist zu dieser Zeit nichts dieser Art frei.',
  '{0} already has at that time:': '{0} hat zu dieser Zeit bereits:',
  '{0} also has {1} at that time.': '{0} hat zu dieser Zeit auch {1}.',
  'from {0}, open-ended': 'ab {0}, unbefristet',
}
