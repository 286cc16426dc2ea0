// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'There is no such page.': 'Diese Seite gibt es nicht.',
  'This form was already sent with different contents. Check it and send it again.':
    'Dieses Formular wurde schon mit anderem Inhalt gesendet. Prüfen Sie es und senden Sie es noch einmal.',

  // Who may do what.
  Reader: 'Leser',
  'Front desk': 'Empfang',
  Administrator: 'Administrator',
  Owner: 'Inhaber',
  'Not allowed': 'Nicht erlaubt',
  'This needs the role {0}; yours is {1}. An owner can change it.':
    'Dafür ist die Rolle {0} nötig; Ihre ist {1}. Ein Inhaber kann das ändern.',
  'You are signed out': 'Sie sind abgemeldet',
  'Your session has ended. Nothing was changed. Sign in and try again.':
    'Ihre Sitzung ist beendet. Nichts wurde geändert. Melden Sie sich an und versuchen Sie es noch einmal.',
  'Passwords are switched off': 'Passwörter sind abgeschaltet',
  'Sign in with {0} instead.': 'Melden Sie sich stattdessen mit {0} an.',
  'Form not accepted': 'Formular nicht angenommen',
  'This form was not sent from this dashboard. If it was, check the settings PUBLIC_URL and TRUST_PROXY.':
    'Dieses Formular wurde nicht von diesen Seiten gesendet. Falls doch, prüfen Sie die Einstellungen PUBLIC_URL und TRUST_PROXY.',
  'Check it and send it again.': 'Prüfen Sie es und senden Sie es noch einmal.',
  'This form belongs to another session or has expired. Nothing was changed.':
    'Dieses Formular gehört zu einer anderen Sitzung oder ist abgelaufen. Nichts wurde geändert.',
  'Download not allowed': 'Herunterladen nicht erlaubt',
  'Files can only be downloaded from this dashboard.':
    'Dateien können nur von diesen Seiten aus heruntergeladen werden.',

  // What is down.
  'The database schema is out of date. Run “npm run migrate”.':
    'Das Schema der Datenbank ist veraltet. Führen Sie „npm run migrate“ aus.',
  'Redis is not responding. Nothing can be changed until it is back.':
    'Redis antwortet nicht. Bis es wieder antwortet, kann nichts geändert werden.',
  'What you see is still up to date.': 'Was Sie sehen, ist weiterhin aktuell.',
  'No worker is running for {0}. Nothing in this queue is done until one starts.':
    'Für {0} läuft kein Worker. In dieser Warteschlange geschieht nichts, bis einer startet.',
  'No worker is running for {0}. Nothing in these queues is done until one starts.':
    'Für {0} läuft kein Worker. In diesen Warteschlangen geschieht nichts, bis einer startet.',
}
