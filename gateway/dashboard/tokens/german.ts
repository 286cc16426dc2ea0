// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'This token does not exist.': 'Dieses Token gibt es nicht.',
  'This token does not exist, or works no more.': 'Dieses Token gibt es nicht, oder es gilt nicht mehr.',
  'New token': 'Neues Token',
  'Create token': 'Token erstellen',
  'What will use it, such as “Lobby display”.': 'Wofür es gebraucht wird, zum Beispiel „Anzeige im Foyer“.',
  'No ability includes another.': 'Keine Berechtigung schließt eine andere ein.',
  'See everything: people, places, bookings and events.':
    'Alles sehen: Personen, Orte, Buchungen und Termine.',
  'Import and export people.': 'Personen importieren und exportieren.',
  'See webhooks and calendar addresses. With “read”, create and change them: they show bookings and people.':
    'Webhooks und Kalenderadressen sehen. Mit „read“ auch erstellen und ändern: Sie zeigen Buchungen und Personen.',
  'Rename, block and tag desks, rooms and parking spots.':
    'Tische, Räume und Parkplätze umbenennen, sperren und mit Tags versehen.',
  'Create, change and delete bookings and events.': 'Buchungen und Termine erstellen, ändern und löschen.',
  Never: 'Nie',
  'In 30 days': 'In 30 Tagen',
  'In 90 days': 'In 90 Tagen',
  'In a year': 'In einem Jahr',
  'Requests per minute': 'Anfragen pro Minute',
  '{0} unless you say otherwise.': '{0}, wenn Sie nichts anderes angeben.',
  'It sees and changes only what is in these. People are not limited. Choose none for all buildings.':
    'Es sieht und ändert nur, was in diesen liegt. Personen sind nicht eingeschränkt. Ohne Auswahl gilt es für alle Gebäude.',
  Addresses: 'Adressen',
  'Networks it may be used from, separated by commas, such as 192.0.2.0/24. Leave empty for any.':
    'Netze, aus denen es verwendet werden darf, durch Kommas getrennt, zum Beispiel 192.0.2.0/24. Leer lassen für alle.',
  'Write addresses or networks such as 192.0.2.0/24, separated by commas.':
    'Geben Sie Adressen oder Netze wie 192.0.2.0/24 ein, durch Kommas getrennt.',

  // Its secret.
  'Token created': 'Token erstellt',
  '{0} is ready to use.': '{0} kann verwendet werden.',
  'Try it:': 'Probieren Sie es aus:',
  'New secret for “{0}”': 'Neues Geheimnis für „{0}“',
  'The token keeps its abilities and limits. Give the new secret to each program that uses it while the present one works on.':
    'Das Token behält seine Berechtigungen und Grenzen. Geben Sie das neue Geheimnis jedem Programm, das es verwendet, solange das jetzige noch gilt.',
  'The present secret works on for': 'So lange gilt das jetzige Geheimnis noch',
  'Not at all': 'Gar nicht',
  'An hour': 'Eine Stunde',
  'A day': 'Einen Tag',
  'A week': 'Eine Woche',
  'Create secret': 'Geheimnis erstellen',
  'Secret created': 'Geheimnis erstellt',
  'The secret of before no longer works.': 'Das bisherige Geheimnis gilt nicht mehr.',
  'The secret of before works for an hour more.': 'Das bisherige Geheimnis gilt noch eine Stunde.',
  'The secret of before works for a day more.': 'Das bisherige Geheimnis gilt noch einen Tag.',
  'The secret of before works for a week more.': 'Das bisherige Geheimnis gilt noch eine Woche.',

  // Revoking it.
  'Revoke token': 'Token widerrufen',
  'Revoke “{0}”?': '„{0}“ widerrufen?',
  'Programs that use it lose access within a second, for good. What they have done stays.':
    'Programme, die es verwenden, verlieren binnen einer Sekunde endgültig den Zugriff. Was sie getan haben, bleibt.',
  'Token revoked.': 'Token widerrufen.',
  'Copy the command': 'Befehl kopieren',
  Token: 'Token',
}
