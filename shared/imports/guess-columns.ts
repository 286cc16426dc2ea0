// Guesses, in ten languages, which import column each heading in an uploaded file of people stands for.
import { createHash } from 'node:crypto'
import { findUserColumns, type UserColumn } from './user-columns.ts'

/** The possible contents of a column in a file: a column of the import, or a part of the name. */
export type FileColumn = UserColumn | 'first_name' | 'last_name'

/**
 * Common headings in English, German, French, Spanish, Italian, Dutch, Polish, Portuguese, Swedish and Czech. Letter
 * case, accents and punctuation do not matter. If a file has a column for one part of the name and a column “Name”, as
 * in “Vorname, Name”, then “Name” is the other part.
 */
const COMMON_HEADINGS = {
  first_name: `first name, given name, forename; Vorname, Rufname; prénom; nombre de pila, primer nombre; nome di battesimo;
    voornaam, roepnaam; imię; primeiro nome, nome próprio; förnamn, tilltalsnamn; křestní jméno`,
  last_name: `last name, surname, family name; Nachname, Familienname, Zuname; nom de famille; apellido, apellidos;
    cognome; achternaam, familienaam; nazwisko; sobrenome, apelido, último nome; efternamn; příjmení`,
  name: `name, full name, display name, employee, employee name; vollständiger Name, Anzeigename, Mitarbeiter, Mitarbeiterin,
    Mitarbeitername, Vor- und Nachname, Vorname Nachname, Name Vorname; nom, nom complet, nom et prénom, nom prénom, collaborateur, salarié;
    nombre, nombre completo, nombre y apellidos, empleado; nome, nome completo, nome e cognome, cognome e nome, dipendente;
    naam, volledige naam, medewerker; imię i nazwisko, nazwisko i imię, pracownik; nome e sobrenome, funcionário, colaborador;
    namn, fullständigt namn, medarbetare, anställd; jméno, celé jméno, jméno a příjmení, zaměstnanec`,
  email: `email, mail, email address, work email, business email, company email, primary email; Mailadresse, E-Mail-Adresse,
    E-Mail geschäftlich, E-Mail dienstlich, Firmen-E-Mail, dienstliche E-Mail; courriel, adresse mail, adresse e-mail, adresse électronique, e-mail professionnel,
    mail professionnel; correo, correo electrónico, dirección de correo, correo corporativo; posta elettronica, indirizzo e-mail,
    indirizzo mail, e-mail aziendale; e-mailadres, mailadres, zakelijk e-mailadres; adres e-mail, poczta, e-mail służbowy;
    endereço de e-mail, correio eletrónico, correio eletrônico, e-mail corporativo; e-post, e-postadress, mejl, epostadress;
    e-mailová adresa, pracovní e-mail`,
  groups: `group, groups, department, team, division, org unit; Abteilung, Abteilungen, Gruppe, Gruppen, Bereich, Organisationseinheit;
    groupe, groupes, département, service, équipe; grupo, grupos, departamento, equipo, área; gruppo, gruppi, reparto, dipartimento, ufficio;
    afdeling, groep, groepen; dział, grupa, grupy, zespół; equipe, setor; avdelning, grupp, grupper, enhet;
    oddělení, skupina, skupiny, tým, útvar`,
  license_plates: `license plate, license plates, licence plate, licence plates, number plate, plate, plate number, registration number;
    Kennzeichen, KFZ-Kennzeichen, Autokennzeichen, Nummernschild; plaque, plaque d'immatriculation, immatriculation; matrícula, placa;
    targa; kenteken; numer rejestracyjny, tablica rejestracyjna, nr rejestracyjny; registreringsnummer, regnr; SPZ, RZ,
    poznávací značka, registrační značka`,
  upn: `upn, user principal name, Benutzerprinzipalname`,
} satisfies Partial<Record<FileColumn, string>>

const normalizeHeading = (heading: string) =>
  heading
    .toLowerCase()
    .normalize('NFD')
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replace(/[^\p{Letter}\p{Number}]/gu, '')

const COLUMNS_BY_HEADING = new Map(
  Object.entries(COMMON_HEADINGS).flatMap(([column, headings]) =>
    headings.split(/[,;]/).map((heading) => [normalizeHeading(heading), column as FileColumn]),
  ),
)

type Headings = ReadonlyArray<string | undefined>

/** Returns the column that each heading stands for, by position. No column occurs twice. */
export function guessColumns(headings: Headings): Array<FileColumn | undefined> {
  const guessed: Array<FileColumn | undefined> = [...findUserColumns(headings)]
  for (const [place, heading = ''] of Array.from(headings).entries()) {
    const column = guessed[place] ?? COLUMNS_BY_HEADING.get(normalizeHeading(heading))
    if (guessed[place] === undefined && column && !guessed.includes(column)) guessed[place] = column
  }
  return resolveNameColumns(guessed)
}

function resolveNameColumns(columns: Array<FileColumn | undefined>) {
  if (!columns.includes('name')) return columns
  const [hasFirst, hasLast] = [columns.includes('first_name'), columns.includes('last_name')]
  const name = hasFirst === hasLast ? 'name' : hasFirst ? 'last_name' : 'first_name'
  const isPart = (column?: FileColumn) => column === 'first_name' || column === 'last_name'
  return columns.map((column) =>
    column === 'name' ? name : name === 'name' && isPart(column) ? undefined : column,
  )
}

/**
 * Whether a person must confirm the columns, because the file has no e-mails or the meaning of some heading is
 * uncertain.
 */
export function needsConfirmation(headings: Headings): boolean {
  const known: Array<FileColumn | undefined> = findUserColumns(headings)
  const isNew = (column: FileColumn | undefined) => column !== undefined && !known.includes(column)
  return !known.includes('email') || guessColumns(headings).some(isNew)
}

/**
 * Guesses which of the first rows contains the headings: the row with the most known headings, or, if none is known,
 * the row with the most cells filled.
 */
export function guessHeadingRow(rows: ReadonlyArray<Headings>): number {
  const scores = rows.map(
    (cells) =>
      1_000 * guessColumns(cells).filter(Boolean).length + cells.filter((cell) => cell?.trim()).length,
  )
  return Math.max(0, scores.indexOf(Math.max(...scores)))
}

/** Returns the same key for files with the same headings. */
export const createHeadingsKey = (headings: Headings): string =>
  createHash('sha256')
    .update(JSON.stringify(Array.from(headings, (heading) => normalizeHeading(heading ?? ''))))
    .digest('hex')
