// What headings of other programs' files stand for, in ten languages.
import { expect } from 'chai'
import {
  guessColumns,
  guessHeading,
  headingsKey,
  needsColumns,
} from '../../../shared/imports/guess-columns.ts'

const PARTS = ['first_name', 'last_name', 'email', 'groups', 'license_plates']
const FILES: Record<string, string[]> = {
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

describe('the columns of a file of people', () => {
  for (const [language, headings] of Object.entries(FILES))
    it(`are guessed from headings in ${language}`, () => {
      expect(guessColumns(headings)).to.deep.equal(PARTS)
      expect(needsColumns(headings)).to.equal(true)
    })

  it('are each guessed once, and nothing is guessed of other headings', () => {
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

  it('need no question where the import knows them, or nobody can guess them', () => {
    expect(needsColumns(['email', 'name', 'groups', 'extensionAttribute7'])).to.equal(false)
    expect(needsColumns(['E-Mail', 'Full name', 'Note', 'What is wrong'])).to.equal(false)
    expect(needsColumns(['email', 'name', 'Abteilung'])).to.equal(true)
    expect(needsColumns(['name', 'groups'])).to.equal(true)
  })

  it('are below titles and empty cells', () => {
    const rows = [
      ['Mitarbeiterliste 2026'],
      ['Stand', '1.11.2026'],
      ['Vorname', 'Nachname', 'E-Mail'],
      ['Ada', 'L', 'a@b.de'],
    ]
    expect(guessHeading(rows)).to.equal(2)
    expect(guessHeading([['Liste'], ['Kto', 'Wer', 'Wo']]), 'the fullest').to.equal(1)
    expect(guessHeading([])).to.equal(0)
  })

  it('have one key, however their headings are written', () => {
    expect(headingsKey(['E-Mail', 'Prénom']))
      .to.equal(headingsKey(['e-mail ', 'PRENOM']))
      .and.match(/^[\da-f]{64}$/)
    expect(headingsKey(['E-Mail', 'Prénom'])).to.not.equal(headingsKey(['Prénom', 'E-Mail']))
  })
})
