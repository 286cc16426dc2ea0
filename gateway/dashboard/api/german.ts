// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'For programs that look up who is where, or book.':
    'Für Programme, die nachsehen, wer wo ist, oder buchen.',
  '{0} with the abilities that your program needs.': '{0} mit den Berechtigungen, die Ihr Programm braucht.',
  'Create a token': 'Erstellen Sie ein Token',
  'Set it in your shell:': 'Setzen Sie es in Ihrer Shell:',
  'Send a request:': 'Senden Sie eine Anfrage:',
  'Read on: {0}, {1}, and {2}.': 'Zum Weiterlesen: {0}, {1} und {2}.',
  'the API reference': 'die API-Referenz',
  errors: 'Fehler',
  'the OpenAPI document': 'das OpenAPI-Dokument',
  'Try it': 'Ausprobieren',
  Endpoint: 'Endpunkt',
  'This changes real data.': 'Das ändert echte Daten.',
  Body: 'Inhalt',
  'JSON.': 'JSON.',
  'Required.': 'Erforderlich.',
  'Sent with this request only, stored nowhere, and gone when you leave the page.':
    'Wird nur mit dieser Anfrage gesendet, nirgends gespeichert und ist weg, wenn Sie die Seite verlassen.',
  Send: 'Senden',
  'With curl': 'Mit curl',
  'Turn on JavaScript to send the request from here.':
    'Schalten Sie JavaScript ein, um die Anfrage von hier zu senden.',
}
