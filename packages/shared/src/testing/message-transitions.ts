import { MESSAGE_STATES, MESSAGE_TRANSITIONS } from '../core/chat/rules/message-machine.ts';

const ALLOWED = MESSAGE_STATES.flatMap((from) =>
  Object.values(MESSAGE_TRANSITIONS[from]).flatMap((to) => (to === null ? [] : `('${from}', '${to}')`)),
);

/**
 * Makes a test database refuse every change of a message's state that the machine does not have. Not in the product:
 * it would cost each delivery and each answer a function call.
 */
export const REFUSE_OTHER_TRANSITIONS = `
  create function refuse_other_transitions() returns trigger language plpgsql as $$
  begin
    raise exception 'message % may not go from % to %', new.id, old.state, new.state;
  end $$;
  create trigger refuse_other_transitions before update of state on chat_messages for each row
    when (old.state <> new.state and (old.state, new.state) not in (${ALLOWED.join(', ')}))
    execute function refuse_other_transitions();`;
