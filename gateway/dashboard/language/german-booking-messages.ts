// What is refused of bookings and events, in German. Values are {0}, {1}… in the order of the English sentence.

export const germanBookingMessages: Record<string, string> = {
  // Bookings.
  'The time is taken.': 'Die Zeit ist belegt.',
  '{0} is taken {1}.': '{0} ist {1} belegt.',
  '{0} is blocked.': '{0} ist gesperrt.',
  '{0} is assigned to somebody else.': '{0} ist jemand anderem zugewiesen.',
  '{0} is not in this location.': '{0} ist nicht in diesem Bereich.',
  '{0} can only be booked with a vehicle.': '{0} kann nur mit einem Fahrzeug gebucht werden.',
  'user_vehicle_id is required: {0} can only be booked with a vehicle.':
    '{0} kann nur mit einem Fahrzeug gebucht werden.',
  'The bookable of this booking no longer exists.': 'Was gebucht war, gibt es nicht mehr.',
  'The booking ended at {0} and cannot be changed.':
    'Die Buchung ist beendet ({0}) und kann nicht geändert werden.',
  'The booking ended at {0}.': 'Die Buchung ist beendet ({0}).',
  'Nobody checked in by {0}: it was released.': 'Niemand hat eingecheckt ({0}): Es wurde freigegeben.',
  'Check-in opens at {0}.': 'Einchecken ist ab {0} möglich.',
  'Others are booking and cancelling this time right now. Try again.':
    'Andere buchen und stornieren gerade in dieser Zeit. Versuchen Sie es noch einmal.',
  'The person of this booking has been deactivated.': 'Die Person dieser Buchung wurde deaktiviert.',
  'A home office cannot be swapped for a desk, room or parking spot, nor one of these for a home office.':
    'Ein Homeoffice kann nicht gegen Tisch, Raum oder Parkplatz getauscht werden, und umgekehrt auch nicht.',
  'A booking of the series would end after the year 9999.':
    'Eine Buchung der Serie würde nach dem Jahr 9999 enden.',
  'There is no day of the series until then.': 'Bis dahin gibt es keinen Tag der Serie.',
  'A series has at most {0} bookings.': 'Eine Serie hat höchstens {0} Buchungen.',
  'The last booking must begin within {0} years after the first.':
    'Die letzte Buchung muss innerhalb von {0} Jahren nach der ersten beginnen.',
  '{0} is closed {1}: {2}': '{0} ist {1} geschlossen: {2}',
  '{0} can only be booked by members of the group with the id {1}.':
    '{0} kann nur von Mitgliedern der Gruppe mit der ID {1} gebucht werden.',
  '{0} can only be booked by members of the groups with the ids {1}.':
    '{0} kann nur von Mitgliedern der Gruppen mit den IDs {1} gebucht werden.',
  '{0} has opening hours, so a booking of it needs an end.':
    '{0} hat Öffnungszeiten, darum braucht eine Buchung ein Ende.',
  '{0} is closed on {1} ({2}).': '{0} ist {1} geschlossen ({2}).',
  '{0} is open {1} on {2} ({3}).': '{0} ist {2} geöffnet: {1} ({3}).',
  'from {0} to {1}': '{0} bis {1}',
  Mondays: 'montags',
  Tuesdays: 'dienstags',
  Wednesdays: 'mittwochs',
  Thursdays: 'donnerstags',
  Fridays: 'freitags',
  Saturdays: 'samstags',
  Sundays: 'sonntags',
  '{0} can be booked at most {1} ahead, until {2}.':
    '{0} kann höchstens {1} im Voraus gebucht werden, bis {2}.',
  '{0} is booked for at least {1}.': '{0} wird für mindestens {1} gebucht.',
  '{0} is booked for at most {1}.': '{0} wird für höchstens {1} gebucht.',
  'A user can have at most {0} current and upcoming {1} bookings in {2}.':
    'In {2} sind höchstens {0} aktuelle und kommende Buchungen je Person möglich ({1}).',
  'A user can have at most 1 current and upcoming {0} booking in {1}.':
    'In {1} ist höchstens eine aktuelle oder kommende Buchung je Person möglich ({0}).',
  'The user already has {0}, and can have one {1} at a time.':
    'Die Person hat schon {0} und kann nur eine Buchung zur selben Zeit haben ({1}).',
  desk: 'Tisch',
  'parking spot': 'Parkplatz',
  'meeting room': 'Besprechungsraum',
  'home office': 'Homeoffice',

  // Events.
  'The event is cancelled. It can be reinstated in the dashboard.':
    'Der Termin ist abgesagt. Er kann wieder angesetzt werden.',
  'The event is cancelled: it has no rooms.': 'Der Termin ist abgesagt: Er hat keine Räume.',
  'The event ended at {0}.': 'Der Termin ist beendet ({0}).',
  'This event has no rooms to check in to.': 'Dieser Termin hat keine Räume zum Einchecken.',
  'One of the bookables has just been deleted.': 'Einer der Räume wurde gerade gelöscht.',
  'Others are booking and cancelling one of the rooms right now. Try again.':
    'Andere buchen und stornieren gerade einen der Räume. Versuchen Sie es noch einmal.',
}
