// Tests how the import recognizes the headings of files from other programs, in ten languages.
import { expect } from 'chai'
import {
  createHeadingsKey,
  guessColumns,
  guessHeadingRow,
  needsConfirmation,
} from '../../../shared/imports/guess-columns.ts'

const EXPECTED_COLUMNS = ['first_name', 'last_name', 'email', 'groups', 'license_plates']
const HEADINGS_BY_LANGUAGE: Record<string, string[]> = {
  English: ['First Name', 'SURNAME', 'Work e-mail', 'Department', 'Licence plate'],
  German: ['Vorname', 'Nachname', 'E-Mail', 'Abteilung', 'KFZ-Kennzeichen'],
  'German with “Name”': ['Vorname', 'Name', 'E-Mail-Adresse', 'Bereich', 'Kennzeichen'],
  French: ['Prénom', 'Nom', 'Adresse électronique', 'Service', "Plaque d'immatriculation"],
  Spanish: ['Nombre', 'Apellidos', 'Correo electrónico', 'Departamento', 'Matrícula'],
  Italian: ['Nome', 'Cognome', 'Indirizzo e-mail', 'Reparto', 'Targa'],
  Dutch: ['Voornaam', 'Achternaam', 'E-mailadres', 'Afdeling', 'Kenteken'],
  Polish: ['Imię', 'Nazwisko', 'Adres e-mail', 'Dział', 'Numer rejestracyjny'],
  Portuguese: ['Primeiro nome', 'Sobrenome', 'Endereço de e-mail', 'Equipe', 'Placa'],
  Swedish: ['Förnamn', 'Efternamn', 'E-post', 'Avdelning', 'Registreringsnummer'],
  Czech: ['Jméno', 'Příjmení', 'E-mail', 'Oddělení', 'SPZ'],
}

describe('the guessed columns of a file of people', () => {
  for (const [language, headings] of Object.entries(HEADINGS_BY_LANGUAGE))
    it(`are guessed from headings in ${language}`, () => {
      expect(guessColumns(headings)).to.deep.equal(EXPECTED_COLUMNS)
      expect(needsConfirmation(headings)).to.equal(true)
    })

  it('are guessed once each, and never from unknown headings', () => {
    expect(guessColumns(['Team', 'Abteilung', 'Eintritt', undefined, 'email', 'Mail'])).to.deep.equal([
      'groups',
      undefined,
      undefined,
      undefined,
      'email',
      undefined,
    ])
    expect(guessColumns(['Name', 'Vorname', 'Nachname'])).to.deep.equal(['name', undefined, undefined])
  })

  it('cause no question if the import knows a column or nobody can guess the column', () => {
    expect(needsConfirmation(['email', 'name', 'groups', 'extensionAttribute7'])).to.equal(false)
    expect(needsConfirmation(['E-Mail', 'Full name', 'Note', 'What is wrong'])).to.equal(false)
    expect(needsConfirmation(['email', 'name', 'Abteilung'])).to.equal(true)
    expect(needsConfirmation(['name', 'groups'])).to.equal(true)
  })

  it('are found in a heading row below titles and empty cells', () => {
    const rows = [
      ['Mitarbeiterliste 2026'],
      ['Stand', '1.11.2026'],
      ['Vorname', 'Nachname', 'E-Mail'],
      ['Ada', 'L', 'a@b.de'],
    ]
    expect(guessHeadingRow(rows)).to.equal(2)
    expect(guessHeadingRow([['Liste'], ['Kto', 'Wer', 'Wo']]), 'the fullest').to.equal(1)
    expect(guessHeadingRow([])).to.equal(0)
  })

  it('are the same for all spellings of a heading', () => {
    expect(createHeadingsKey(['E-Mail', 'Prénom']))
      .to.equal(createHeadingsKey(['e-mail ', 'PRENOM']))
      .and.match(/^[\da-f]{64}$/)
    expect(createHeadingsKey(['E-Mail', 'Prénom'])).to.not.equal(createHeadingsKey(['Prénom', 'E-Mail']))
  })
})
