// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // Signing in and out.
  'Sign in with {0}': 'Mit {0} anmelden',
  'Or with a password:': 'Oder mit einem Passwort:',
  'Wrong e-mail or password.': 'E-Mail oder Passwort ist falsch.',
  'Wrong e-mail or password. If you have signed in with {0} before, use that.':
    'E-Mail oder Passwort ist falsch. Wenn Sie sich schon einmal mit {0} angemeldet haben, melden Sie sich so an.',
  'Single sign-on is not set up here.': 'Single Sign-on ist hier nicht eingerichtet.',
  'Continue to {0}': 'Weiter zu {0}',
  'You will be redirected in a moment.': 'Sie werden gleich weitergeleitet.',
  Continue: 'Weiter',
  'Sign out?': 'Abmelden?',
  'You are signed in as {0}.': 'Sie sind als {0} angemeldet.',
  'You are signed out.': 'Sie sind abgemeldet.',
  'Your session has ended. Nothing was changed, and what you entered is kept on this page.':
    'Ihre Sitzung ist beendet. Nichts wurde geändert, und Ihre Eingaben bleiben auf dieser Seite.',
  'Sign in in a new tab, then come back to this one and continue.':
    'Melden Sie sich in einem neuen Tab an, kommen Sie dann hierher zurück und machen Sie weiter.',
  'Signing out of {0}': 'Abmelden bei {0}',

  // What goes wrong with the provider.
  'Sign-in is not available': 'Anmeldung nicht möglich',
  'There is no answer from {0} right now. Try again shortly.':
    '{0} antwortet gerade nicht. Versuchen Sie es in Kürze noch einmal.',
  'You were not signed in': 'Sie wurden nicht angemeldet',
  'Signing in with {0} was cancelled or refused there. You can try again.':
    'Die Anmeldung mit {0} wurde dort abgebrochen oder abgelehnt. Sie können es noch einmal versuchen.',
  'This sign-in has expired': 'Diese Anmeldung ist abgelaufen',
  'It took too long, was used already, or began in another browser. Sign in again.':
    'Sie hat zu lange gedauert, wurde schon verwendet oder begann in einem anderen Browser. Melden Sie sich noch einmal an.',
  'Sign-in failed': 'Anmeldung fehlgeschlagen',
  'Berth could not verify the answer from {0}. If this happens again, ask whoever runs Berth to look at its log.':
    'Berth konnte die Antwort von {0} nicht überprüfen. Wenn das wieder geschieht, bitten Sie die Betreiber von Berth, im Log nachzusehen.',
  'You have no access to Berth': 'Sie haben keinen Zugang zu Berth',
  'Your account at {0} has no role here. Ask the people who manage it to give you one.':
    'Ihr Konto bei {0} hat hier keine Rolle. Bitten Sie diejenigen, die es verwalten, um eine.',
  'Your e-mail address is missing': 'Ihre E-Mail-Adresse fehlt',
  '{0} did not tell Berth your e-mail address.': '{0} hat Berth Ihre E-Mail-Adresse nicht mitgeteilt.',
  'You cannot sign in': 'Sie können sich nicht anmelden',
  'Your account is disabled': 'Ihr Konto ist deaktiviert',
  'An owner can enable it again.': 'Ein Inhaber kann es wieder aktivieren.',

  // Choosing a password.
  'Choose a password': 'Passwort wählen',
  'For {0}': 'Für {0}',
  'Repeat password': 'Passwort wiederholen',
  'At least {0} characters. A sentence is easy to remember.':
    'Mindestens {0} Zeichen. Ein Satz ist leicht zu merken.',
  'Save password': 'Passwort speichern',
  'The passwords do not match.': 'Die Passwörter stimmen nicht überein.',
  'Wrong password.': 'Das Passwort ist falsch.',
  'Welcome! Your password is saved.': 'Willkommen! Ihr Passwort ist gespeichert.',
  'This link does not work': 'Dieser Link funktioniert nicht',
  'It has been used, is too old, or is incomplete. Ask an owner for a new one.':
    'Er wurde schon verwendet, ist zu alt oder unvollständig. Bitten Sie einen Inhaber um einen neuen.',

  // The first administrator.
  'Welcome to Berth': 'Willkommen bei Berth',
  'Create the first administrator.': 'Erstellen Sie den ersten Administrator.',
  'Create administrator': 'Administrator erstellen',
  'Welcome! You are the first administrator.': 'Willkommen! Sie sind der erste Administrator.',
  'It has been used, is older than 24 hours, or is incomplete. While there is no administrator, the gateway logs a new link each time it starts. “npm run admin -- create” always works.':
    'Er wurde schon verwendet, ist älter als 24 Stunden oder unvollständig. Solange es keinen Administrator gibt, schreibt das Gateway bei jedem Start einen neuen Link in sein Log. „npm run admin -- create“ funktioniert immer.',

  // Settings.
  Account: 'Konto',
  'You are signed in as {0}, with the role {1}.': 'Sie sind als {0} angemeldet, mit der Rolle {1}.',
  'Administrators and their roles': 'Administratoren und ihre Rollen',
  'You sign in with {0}, which also says what your role is.':
    'Sie melden sich mit {0} an; von dort kommt auch Ihre Rolle.',
  'Change password': 'Passwort ändern',
  'Current password': 'Aktuelles Passwort',
  'New password': 'Neues Passwort',
  'Repeat new password': 'Neues Passwort wiederholen',
  'Password changed.': 'Passwort geändert.',
  'No other sessions were open.': 'Es war keine andere Sitzung offen.',
  '# other sessions were signed out.': {
    one: '# andere Sitzung wurde abgemeldet.',
    other: '# andere Sitzungen wurden abgemeldet.',
  },
  Sessions: 'Sitzungen',
  'No sessions.': 'Keine Sitzungen.',
  'Sign out everywhere': 'Überall abmelden',
  'You are signed out everywhere.': 'Sie sind überall abgemeldet.',
  Browser: 'Browser',
  'this browser': 'dieser Browser',
  Unknown: 'Unbekannt',
  'IP address': 'IP-Adresse',
  'Signed in': 'Angemeldet',
  'Last used': 'Zuletzt verwendet',

  // Tokens.
  Integrations: 'Integrationen',
  'Tokens let other programs use the {0}. Webhooks tell them what changes.':
    'Mit Tokens nutzen andere Programme die {0}. Webhooks melden ihnen, was sich ändert.',
  'API tokens': 'API-Tokens',
  'No tokens yet.': 'Noch keine Tokens.',
  'Create one for each program that uses the API.':
    'Erstellen Sie eines für jedes Programm, das die API verwendet.',
  Abilities: 'Berechtigungen',
  'Limited to': 'Beschränkt auf',
  'no building: they are all deleted': 'kein Gebäude: alle sind gelöscht',
  'Created by': 'Erstellt von',
  Expires: 'Läuft ab',
  Requests: 'Anfragen',
  expired: 'abgelaufen',
  revoked: 'widerrufen',
  'New secret for {0}': 'Neues Geheimnis für {0}',
  Revoke: 'Widerrufen',
  'Revoke {0}': '{0} widerrufen',
}
