-- The image in which an agent is started, where runs live in containers. Null: that of the Coordinator.
alter table agents add column image text check (length(image) between 1 and 255);
