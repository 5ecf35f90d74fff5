import { defineLocale } from 'gatewright';

export default defineLocale({
  success: 'Erfolgreich',
  problems: { record_not_found: 'Diesen Eintrag gibt es nicht', forbidden: 'Keine Berechtigung' },
  rules: { required: '{label} fehlt' },
  models: {
    Article: {
      label: 'Hilfeartikel',
      fields: { company_id: 'Firma', title: 'Titel', body: 'Text', published: 'Veröffentlicht' },
    },
    Comment: {
      label: 'Kommentar',
      fields: { ticket_id: 'Ticket', body: 'Text', internal: 'Nur für Betreuer', user_id: 'Verfasser' },
    },
    Company: {
      label: 'Firma',
      fields: { name: 'Name', hourly_rate: 'Stundensatz', user_id: 'Angelegt von' },
    },
    Membership: {
      label: 'Mitglied',
      fields: {
        company_id: 'Firma',
        role: { label: 'Rolle', choices: { customer: 'Kunde', agent: 'Betreuer', owner: 'Inhaber' } },
        email: 'Eingeladene Adresse',
        user_id: 'Mitglied',
      },
    },
    Ticket: {
      label: 'Ticket',
      fields: {
        company_id: 'Firma',
        number: 'Nummer',
        title: 'Titel',
        body: 'Text',
        state: {
          label: 'Stand',
          choices: { new: 'neu', open: 'offen', waiting: 'wartet auf den Kunden', closed: 'erledigt' },
        },
        state_since: 'Stand seit',
        priority: { label: 'Priorität', choices: { low: 'niedrig', normal: 'normal', high: 'hoch' } },
        assignee_id: 'Zuständig',
        answered_after: 'Minuten bis zur ersten Antwort',
        internal_note: 'Interne Notiz',
        hours: 'Stunden',
        user_id: 'Kunde',
      },
      relations: { comments: 'Kommentare' },
    },
  },
});
