// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The list.
  Administrators: 'Administratoren',
  'Who may sign in here, and what they may do.': 'Wer sich hier anmelden darf und mit welchen Rechten.',
  'Who has signed in here with {0}, which also decides who may.':
    'Wer sich hier mit {0} angemeldet hat; dort wird auch entschieden, wer das darf.',
  Invite: 'Einladen',
  'No administrators.': 'Keine Administratoren.',
  you: 'Sie',
  disabled: 'deaktiviert',
  'link sent': 'Link gesendet',

  // Inviting one.
  'Invite an administrator': 'Administrator einladen',
  'They sign in with it, and get the link there.':
    'Damit meldet sich die Person an, und dorthin bekommt sie den Link.',
  'They sign in with it. Nothing is sent to it.':
    'Damit meldet sich die Person an. Dorthin wird nichts gesendet.',
  'Everything, administrators included.': 'Alles, auch Administratoren.',
  'Everything but administrators.': 'Alles außer Administratoren.',
  'Creates and changes bookings and events; sees places and people.':
    'Erstellt und ändert Buchungen und Termine; sieht Orte und Personen.',
  'Sees bookings, events, places and people, and changes nothing.':
    'Sieht Buchungen, Termine, Orte und Personen und ändert nichts.',

  // The link.
  'Create link': 'Link erstellen',
  'Send this link': 'Senden Sie diesen Link',
  'With it {0} chooses a password and is signed in.': 'Damit wählt {0} ein Passwort und ist angemeldet.',
  'It works once, within seven days.': 'Er funktioniert nur einmal und gilt sieben Tage lang.',
  'It works once, within 24 hours.': 'Er funktioniert nur einmal und gilt 24 Stunden lang.',
  'They also get one by mail; whichever is used first, the other stops working.':
    'Ein weiterer kommt per E-Mail; sobald einer der beiden benutzt wird, funktioniert der andere nicht mehr.',
  'Copy it now: it is not stored, and nobody can see it again once you have left this page. Whoever has it can use it, so send it to them alone.':
    'Kopieren Sie ihn jetzt: Er wird nicht gespeichert, und niemand sieht ihn wieder, sobald Sie diese Seite verlassen. Wer ihn hat, kann ihn benutzen; senden Sie ihn also nur an diese Person.',

  // One administrator.
  'This administrator does not exist.': 'Diesen Administrator gibt es nicht.',
  'Save role': 'Rolle speichern',
  'The role is {0} now.': 'Die Rolle ist jetzt {0}.',
  'They sign in with {0}, which decides their role each time.':
    'Die Anmeldung läuft über {0}; dort wird jedes Mal auch die Rolle bestimmt.',
  'Who has forgotten it chooses a new one by a link. The present one works until then; links of before stop working.':
    'Wer es vergessen hat, wählt über einen Link ein neues. Bis dahin gilt das jetzige; frühere Links funktionieren nicht mehr.',
  Access: 'Zugang',
  Enable: 'Aktivieren',
  'Enabled again.': 'Wieder aktiviert.',
  'They cannot sign in. What they have done stays in the audit log.':
    'Eine Anmeldung ist nicht möglich. Was die Person getan hat, bleibt im Protokoll.',
  Disable: 'Deaktivieren',
  'Disabled and signed out.': 'Deaktiviert und abgemeldet.',
  'Who is disabled is signed out at once and cannot sign in. It can be undone.':
    'Wer deaktiviert wird, ist sofort abgemeldet und kann sich nicht mehr anmelden. Das lässt sich rückgängig machen.',

  // The mail to one.
  'mail failed': 'E-Mail fehlgeschlagen',
  'mail delayed': 'E-Mail verzögert',
  'The last mail to {0} was sent {1}.': 'Die letzte E-Mail an {0} wurde {1} gesendet.',
  'A mail to {0} is on its way.': 'Eine E-Mail an {0} ist unterwegs.',
  'The last mail to {0} was not sent.': 'Die letzte E-Mail an {0} wurde nicht gesendet.',
  'It will be tried again.': 'Es wird noch einmal versucht.',
  'It will not be tried again.': 'Es wird nicht noch einmal versucht.',
}
